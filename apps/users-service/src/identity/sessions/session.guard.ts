import { type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AppError, isError, SessionErrors } from '@fd/errors';
import { isPublic, noteCurrentUser } from '@fd/platform';
import type { Request } from 'express';
import type { SessionIdentity } from '../../core/index.js';
import { JwtStrategy } from './jwt.strategy.js';

/** Finds out who calls a route that is not public. The JwtStrategy is the only check of a token. */
@Injectable()
export class SessionGuard {
  constructor(
    private readonly reflector: Reflector,
    private readonly strategy: JwtStrategy,
  ) {}

  /**
   * Sets the session of the request.
   * @returns why there is none, to be thrown once the call was counted; undefined on success and on public routes
   */
  async identify(context: ExecutionContext): Promise<unknown> {
    if (isPublic(this.reflector, context)) return undefined;
    const request = context.switchToHttp().getRequest<Request>();
    try {
      request.session = await this.authenticate(request);
    } catch (refusal) {
      return refusal;
    }
    noteCurrentUser(request.session.userId);
    return undefined;
  }

  /** Runs the strategy as Passport does, on an object for each request, which holds the request's callbacks. */
  private authenticate(request: Request): Promise<SessionIdentity> {
    return new Promise((resolve, reject) => {
      const attempt = Object.assign(Object.create(this.strategy) as JwtStrategy, {
        success: resolve,
        fail: (info: unknown) => reject(refusalOf(info, request)),
        error: reject,
      });
      attempt.authenticate(request);
    });
  }
}

/** The refusal that a failed check means. A defect is returned as it is: it must not look like a 401. */
function refusalOf(info: unknown, request: Request): Error {
  if (request.headers.authorization === undefined) return SessionErrors.tokenMissing();
  if (info instanceof AppError) return info;
  if (!isError(info)) return SessionErrors.tokenMissing();
  // passport-jwt's own words for a header that is no Bearer token
  if (info.message === 'No auth token' || info.message === 'jwt malformed')
    return SessionErrors.tokenMalformed();
  if (info.name === 'TokenExpiredError') return SessionErrors.tokenExpired();
  return ['JsonWebTokenError', 'NotBeforeError'].includes(info.name) ? SessionErrors.tokenInvalid() : info;
}
