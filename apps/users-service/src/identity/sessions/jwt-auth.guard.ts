import { randomUUID } from 'node:crypto';
import { type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AuthGuard } from '@nestjs/passport';
import { addToRequestStore } from '@fd/envelope';
import { AppError, isError, SessionErrors } from '@fd/errors';
import { isPublic } from '@fd/platform';
import type { Request } from 'express';
import passport from 'passport';
import {
  beginCall,
  allows,
  BeforeConfirmation,
  WithoutSharing,
  noteCallersPartner,
  type SessionIdentity,
  userActor,
} from '../../core/index.js';
import { JwtStrategy } from './jwt.strategy.js';

/**
 * First guard: identifies the caller by the JwtStrategy, unless the route is `@Public()`. Keeps a refusal until the call is
 * counted; the RefusalGuard throws it.
 */
@Injectable()
export class JwtAuthGuard extends AuthGuard() {
  constructor(
    strategy: JwtStrategy,
    private readonly reflector: Reflector,
  ) {
    // a name of its own: the applications of a process, as in tests, share Passport's names
    const name = `jwt ${randomUUID()}`;
    passport.use(name, strategy);
    super({ defaultStrategy: name });
  }

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    if (!isPublic(this.reflector, context)) return (await super.canActivate(context)) as boolean;
    // a public route identifies the caller itself
    beginCall('unknown');
    return true;
  }

  override handleRequest<User = SessionIdentity>(
    error: unknown,
    session: SessionIdentity | false | null,
    info: unknown,
    context: ExecutionContext,
  ): User {
    if (session) {
      addToRequestStore({ userId: session.userId });
      beginCall(userActor(session.userId), session.sessionId);
      // without sharing nothing is collected through it
      if (!session.isUnconfirmed && !session.isUnshared)
        noteCallersPartner(session.userId, session.partnerId);
      const authenticationRefusal = this.refusalAt(session, context);
      if (authenticationRefusal) addToRequestStore({ authenticationRefusal });
    } else {
      const request = context.switchToHttp().getRequest<Request>();
      addToRequestStore({ authenticationRefusal: error ?? refusalOf(info, request) });
    }
    return session as User;
  }

  private refusalAt(
    { isUnconfirmed, isUnshared }: SessionIdentity,
    context: ExecutionContext,
  ): AppError | undefined {
    if (allows(this.reflector, BeforeConfirmation, context)) return undefined;
    if (isUnconfirmed) return SessionErrors.unconfirmed();
    return isUnshared && !allows(this.reflector, WithoutSharing, context)
      ? SessionErrors.unshared()
      : undefined;
  }
}

/** The refusal for a failed check. Returns other errors unchanged, so that they do not become 401. */
function refusalOf(info: unknown, { headers }: Request): Error {
  if (headers.authorization === undefined || !isError(info)) return SessionErrors.tokenMissing();
  if (info instanceof AppError) return info;
  // passport-jwt's message for a header without a Bearer token
  if (info.message === 'No auth token' || info.message === 'jwt malformed')
    return SessionErrors.tokenMalformed();
  if (info.name === 'TokenExpiredError') return SessionErrors.tokenExpired();
  return ['JsonWebTokenError', 'NotBeforeError'].includes(info.name) ? SessionErrors.tokenInvalid() : info;
}
