import { type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { type ErrorDefinition, isError, SessionErrors } from '@fd/errors';
import { IS_PUBLIC, noteCurrentUser } from '@fd/platform';
import { AuthGuard } from '@nestjs/passport';
import type { Request } from 'express';
import { MalformedTokenError, RefusedTokenError } from './jwt.strategy.js';
import type { SessionIdentity } from '../../core/index.js';

declare global {
  namespace Express {
    interface Request {
      /** Why there is no session. Thrown by the SessionGuard, after the rate limit had its say. */
      sessionError?: unknown;
    }
  }
}

/**
 * Finds out who is calling and lets everybody pass: the rate limit, which comes next, counts a known user by id
 * and everybody else by address, refused calls included.
 */
@Injectable()
export class IdentifyGuard extends AuthGuard('jwt') {
  constructor(private readonly reflector: Reflector) {
    super({ session: false, property: 'session' });
  }

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    if (isPublic(this.reflector, context)) return true;
    await super.canActivate(context);
    const { session } = context.switchToHttp().getRequest<Request>();
    if (session) noteCurrentUser(session.userId);
    return true;
  }

  override handleRequest<User = SessionIdentity>(
    error: unknown,
    user: User | false,
    info: unknown,
    context: ExecutionContext,
  ): User {
    if (!error && user) return user;
    const request = context.switchToHttp().getRequest<Request>();
    const refusal = codeOf(info, request);
    request.sessionError = error ?? (refusal === undefined ? info : refusal());
    return undefined as User;
  }
}

export function isPublic(reflector: Reflector, context: ExecutionContext): boolean {
  return (
    reflector.getAllAndOverride<boolean | undefined>(IS_PUBLIC, [
      context.getHandler(),
      context.getClass(),
    ]) === true
  );
}

/** The refusal that a failed check means; undefined for an error that is none: a defect must not look like a 401. */
function codeOf(info: unknown, request: Request): ErrorDefinition | undefined {
  if (request.headers.authorization === undefined) return SessionErrors.tokenMissing;
  if (info instanceof MalformedTokenError) return SessionErrors.tokenMalformed;
  if (info instanceof RefusedTokenError) return SessionErrors.tokenInvalid;
  if (!isError(info)) return undefined;
  // passport-jwt's own words for a header that is no Bearer token
  if (info.message === 'No auth token' || info.message === 'jwt malformed')
    return SessionErrors.tokenMalformed;
  if (info.name === 'TokenExpiredError') return SessionErrors.tokenExpired;
  return ['JsonWebTokenError', 'NotBeforeError'].includes(info.name) ? SessionErrors.tokenInvalid : undefined;
}
