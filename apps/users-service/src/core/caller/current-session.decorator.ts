import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type { SessionIdentity } from './session-identity.js';

/** Who is calling. Only for routes that are not public: the SessionGuard demands one. */
export const CurrentSession = createParamDecorator(
  (_data: unknown, context: ExecutionContext): SessionIdentity => {
    const { session } = context.switchToHttp().getRequest<Request>();
    if (!session) throw new Error('CurrentSession on a public route');
    return session;
  },
);
