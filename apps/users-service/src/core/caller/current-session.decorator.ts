import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';

/** The caller, proved by an access token. */
export interface SessionIdentity {
  readonly userId: string;
  readonly sessionId: string;
  /** The partner in whose app the session was opened. */
  readonly partnerId: string;
  /**
   * Whether the phone may have another owner now, or the account is another partner's and was not confirmed in this session: the session may
   * only confirm the account, or give it up.
   */
  readonly isUnconfirmed?: boolean;
  /** Whether the account is another partner's, and the person has not agreed to share it with this one. */
  readonly isUnshared?: boolean;
}

declare global {
  namespace Express {
    /** Passport's `request.user`: the caller; undefined on public routes. */
    // eslint-disable-next-line @typescript-eslint/no-empty-object-type -- merged with Passport's declaration
    interface User extends SessionIdentity {}
  }
}

/**
 * The caller for whom calls are counted: a session that is unconfirmed or of a partner without sharing by itself, so that it does not use up
 * the limits of the account's owner.
 */
export const countedAs = ({ userId, sessionId, isUnconfirmed, isUnshared }: SessionIdentity): string =>
  isUnconfirmed || isUnshared ? `session:${sessionId}` : `user:${userId}`;

/** Injects the caller. For routes that are not public; the guard requires a session there. */
export const CurrentSession = createParamDecorator(
  (_data: unknown, context: ExecutionContext): SessionIdentity => {
    const { user } = context.switchToHttp().getRequest<Request>();
    if (!user) throw new Error('CurrentSession on a public route');
    return user;
  },
);
