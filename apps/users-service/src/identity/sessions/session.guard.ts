import { type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { SessionErrors } from '@fd/errors';
import { isPublic, noteCurrentUser } from '@fd/platform';
import type { Request } from 'express';
import { errors, jwtVerify } from 'jose';
import { z } from 'zod';
import { USERS_CONFIG, type UsersConfig } from '../../config/index.js';
import type { SessionIdentity } from '../../core/index.js';
import { SessionsRepository } from './sessions.repository.js';
import { ACCESS_TOKEN_AUDIENCE, ACCESS_TOKEN_TYPE } from './sessions.service.js';

/** Tolerance between our clocks and those of whoever signed a token. */
const CLOCK_SKEW_SECONDS = 30;

/** Nothing but `Bearer` and a token of at most 4 KB. */
const BEARER_TOKEN = /^Bearer +(\S{1,4096})$/i;

/** 64 bytes, the last bits unused: a verifier may overlook such bits. */
const ES256_SIGNATURE = /^[A-Za-z0-9_-]{85}[AQgw]$/;

/** Nothing else may stand in the header: a key or an address of a key in it would be an invitation to believe it. */
const header = z.strictObject({
  alg: z.literal('ES256'),
  typ: z.literal(ACCESS_TOKEN_TYPE),
  kid: z.string().max(64),
});

const claims = z.object({ sub: z.uuid(), sid: z.uuid(), exp: z.number() });

/** Finds out who calls a route that is not public: by header, then signature, and only then by asking the store. */
@Injectable()
export class SessionGuard {
  constructor(
    private readonly reflector: Reflector,
    @Inject(USERS_CONFIG) private readonly config: UsersConfig,
    private readonly sessions: SessionsRepository,
  ) {}

  /**
   * Sets the session of the request.
   * @returns why there is none, to be thrown once the call was counted; undefined on success and on public routes
   */
  async identify(context: ExecutionContext): Promise<unknown> {
    if (isPublic(this.reflector, context)) return undefined;
    const request = context.switchToHttp().getRequest<Request>();
    try {
      request.session = await this.authenticate(request.headers.authorization);
    } catch (error) {
      return refusalOf(error);
    }
    noteCurrentUser(request.session.userId);
    return undefined;
  }

  private async authenticate(authorization: string | undefined): Promise<SessionIdentity> {
    if (authorization === undefined) throw SessionErrors.tokenMissing();
    const { keys, issuer } = this.config.tokens;
    const { token, key } = tokenOf(authorization, keys);
    const { payload } = await jwtVerify(token, key, {
      algorithms: ['ES256'],
      issuer,
      audience: ACCESS_TOKEN_AUDIENCE,
      clockTolerance: CLOCK_SKEW_SECONDS,
    });
    const { data } = claims.safeParse(payload);
    if (!data) throw SessionErrors.tokenInvalid();
    const identity = { userId: data.sub, sessionId: data.sid };
    if (!(await this.sessions.isOpen(identity.sessionId, identity.userId))) throw SessionErrors.ended();
    return identity;
  }
}

/** Returns a defect as it is: it must not look like a 401. */
function refusalOf(error: unknown): unknown {
  if (error instanceof errors.JWTExpired) return SessionErrors.tokenExpired();
  return error instanceof errors.JOSEError ? SessionErrors.tokenInvalid() : error;
}

/** @throws SessionErrors.tokenMalformed; SessionErrors.tokenInvalid when it is not as we write it, or names no key of ours */
function tokenOf(authorization: string, keys: UsersConfig['tokens']['keys']) {
  const [, token = ''] = BEARER_TOKEN.exec(authorization) ?? [];
  const parts = token.split('.');
  const [head = '', payload = '', signature = ''] = parts;
  const headObject = objectIn(head);
  if (!headObject || parts.length !== 3) throw SessionErrors.tokenMalformed();
  const { data } = header.safeParse(headObject.value);
  const key = keys.find(({ kid }) => kid === data?.kid)?.publicKey;
  const isOurs = headObject.isOurs && objectIn(payload)?.isOurs && ES256_SIGNATURE.test(signature);
  if (!isOurs || !key) throw SessionErrors.tokenInvalid();
  return { token, key };
}

/**
 * The object that a part of a token holds, and whether it is written as we write it: in any other way a name may
 * stand in it twice, of which others take the first, or the part may have other bytes and mean the same.
 */
function objectIn(part: string): { value: object; isOurs: boolean } | undefined {
  const bytes = Buffer.from(part, 'base64url');
  const text = bytes.toString();
  try {
    const value = JSON.parse(text) as unknown;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    return { value, isOurs: JSON.stringify(value) === text && bytes.toString('base64url') === part };
  } catch {
    return undefined;
  }
}
