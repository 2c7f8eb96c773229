import { type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AppError, type ErrorCode, isError } from '@fd/errors';
import { isPublic, noteCurrentUser } from '@fd/platform';
import { AuthGuard } from '@nestjs/passport';
import type { Request } from 'express';
import { MalformedTokenError, RefusedTokenError } from './jwt.strategy.js';

/**
 * Demands a session, unless the route is public: runs the JwtStrategy through passport, the only way by which a token is
 * checked. Called by the RequestGuard.
 */
@Injectable()
export class SessionGuard extends AuthGuard('jwt') {
  constructor(private readonly reflector: Reflector) {
    super({ session: false, property: 'session' });
  }

  /** @returns why there is no session, to be thrown once the call was counted; undefined when there is one or need not be */
  async identify(context: ExecutionContext): Promise<unknown> {
    if (isPublic(this.reflector, context)) return undefined;
    try {
      await this.canActivate(context);
    } catch (refusal) {
      return refusal;
    }
    noteCurrentUser(context.switchToHttp().getRequest<Request>().session!.userId);
    return undefined;
  }

  override handleRequest<User>(
    error: unknown,
    user: User | false,
    info: unknown,
    context: ExecutionContext,
  ): User {
    if (!error && user) return user;
    const code = codeOf(info, context.switchToHttp().getRequest<Request>());
    throw error ?? (code === undefined ? info : new AppError(code));
  }
}

/** The refusal that a failed check means; undefined for an error that is none: a defect must not look like a 401. */
function codeOf(info: unknown, request: Request): ErrorCode | undefined {
  if (request.headers.authorization === undefined) return 'SVCUSER2101';
  if (info instanceof MalformedTokenError) return 'SVCUSER2102';
  if (info instanceof RefusedTokenError) return 'SVCUSER2103';
  if (!isError(info)) return 'SVCUSER2101';
  // passport-jwt's own words for a header that is no Bearer token
  if (info.message === 'No auth token' || info.message === 'jwt malformed') return 'SVCUSER2102';
  if (info.name === 'TokenExpiredError') return 'SVCUSER2104';
  return ['JsonWebTokenError', 'NotBeforeError'].includes(info.name) ? 'SVCUSER2103' : undefined;
}
