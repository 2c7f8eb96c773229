import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';

/** Who is calling, as proved by an access token. */
export interface SessionIdentity {
  readonly userId: string;
  readonly sessionId: string;
}

declare global {
  namespace Express {
    interface Request {
      /** Who calls; undefined on public routes. */
      session?: SessionIdentity;
    }
  }
}

/** Who is calling. Only for routes that are not public: the SessionGuard demands a session of all others. */
export const CurrentSession = createParamDecorator(
  (_data: unknown, context: ExecutionContext): SessionIdentity => {
    const { session } = context.switchToHttp().getRequest<Request>();
    if (!session) throw new Error('CurrentSession on a public route');
    return session;
  },
);
