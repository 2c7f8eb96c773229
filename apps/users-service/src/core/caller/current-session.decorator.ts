import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';

/** The caller, proved by an access token. */
export interface SessionIdentity {
  readonly userId: string;
  readonly sessionId: string;
}

declare global {
  namespace Express {
    interface Request {
      /** The caller; undefined on public routes. */
      session?: SessionIdentity;
    }
  }
}

/** Injects the caller. For routes that are not public; the guard requires a session there. */
export const CurrentSession = createParamDecorator(
  (_data: unknown, context: ExecutionContext): SessionIdentity => {
    const { session } = context.switchToHttp().getRequest<Request>();
    if (!session) throw new Error('CurrentSession on a public route');
    return session;
  },
);
