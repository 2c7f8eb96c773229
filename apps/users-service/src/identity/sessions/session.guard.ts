import { type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { beforeAnswer, type Outcome } from '@fd/envelope';
import { AppError, isError, SessionErrors } from '@fd/errors';
import { isDatabaseUnavailable, isPublic, isRedisUnavailable, noteCurrentUser } from '@fd/platform';
import type { Request } from 'express';
import type { SessionIdentity } from '../../core/index.js';
import { JwtStrategy } from './jwt.strategy.js';
import { SessionsRepository } from './sessions.repository.js';

/** Authenticates routes that are not public. The JwtStrategy is the only check of a token. */
@Injectable()
export class SessionGuard {
  constructor(
    private readonly reflector: Reflector,
    private readonly strategy: JwtStrategy,
    private readonly sessions: SessionsRepository,
  ) {}

  /**
   * Sets the session of the request.
   * @returns the refusal, which the caller throws after counting the call; undefined on success and on public routes
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

  /** Answers a call that failed because its session or user was deleted meanwhile as the next call is answered. */
  begin(context: ExecutionContext): void {
    const request = context.switchToHttp().getRequest<Request>();
    const { session } = request;
    if (session) beforeAnswer(request, (outcome) => this.assertOpen(session, outcome));
  }

  /** @throws SessionErrors.ended instead of a defect if the user was erased during the call */
  private async assertOpen({ sessionId, userId }: SessionIdentity, outcome: Outcome): Promise<void> {
    if (!('thrown' in outcome) || outcome.thrown instanceof AppError) return;
    if (isDatabaseUnavailable(outcome.thrown) || isRedisUnavailable(outcome.thrown)) return;
    if (!(await this.sessions.isOpen(sessionId, userId))) throw SessionErrors.ended();
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

/** The refusal for a failed check. Returns other errors unchanged, so that they do not become 401. */
function refusalOf(info: unknown, request: Request): Error {
  if (request.headers.authorization === undefined) return SessionErrors.tokenMissing();
  if (info instanceof AppError) return info;
  if (!isError(info)) return SessionErrors.tokenMissing();
  // passport-jwt's message for a header without a Bearer token
  if (info.message === 'No auth token' || info.message === 'jwt malformed')
    return SessionErrors.tokenMalformed();
  if (info.name === 'TokenExpiredError') return SessionErrors.tokenExpired();
  return ['JsonWebTokenError', 'NotBeforeError'].includes(info.name) ? SessionErrors.tokenInvalid() : info;
}
