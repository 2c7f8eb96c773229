import { KeyObject } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type AppError, SessionErrors } from '@fd/errors';
import type { Request } from 'express';
import { Strategy, type VerifiedCallback } from 'passport-jwt';
import { z } from 'zod';
import { TokensConfig } from '../../config/index.js';
import type { SessionIdentity } from '../../core/index.js';
import { SessionsRepository } from './sessions.repository.js';
import { ACCESS_TOKEN_AUDIENCE, ACCESS_TOKEN_TYPE } from './sessions.service.js';

/** Tolerance between our clocks and those of whoever signed a token. */
const CLOCK_SKEW_SECONDS = 30;

const MAX_TOKEN_LENGTH = 4_096;

/** 64 bytes, the last bits unused: the verifier throws on other lengths, and overlooks such bits. */
const ES256_SIGNATURE = /^[A-Za-z0-9_-]{85}[AQgw]$/;

/** Nothing else may stand in the header: a key or an address of a key in it would be an invitation to believe it. */
const header = z.strictObject({
  alg: z.literal('ES256'),
  typ: z.literal(ACCESS_TOKEN_TYPE),
  kid: z.string().max(64),
});

const claims = z.object({ sub: z.uuid(), sid: z.uuid(), exp: z.number() });

/** Checks a Bearer token: its header before any key is touched, its signature before any store is asked. */
@Injectable()
export class JwtStrategy extends Strategy {
  constructor({ keys, issuer }: TokensConfig, sessions: SessionsRepository) {
    super(
      {
        jwtFromRequest: bearerToken,
        secretOrKeyProvider: (
          _request: Request,
          token: unknown,
          done: (error: Error | null, key?: string | Buffer) => void,
        ) => {
          const key = keyOf(token, keys);
          // the types know strings only; the library takes key objects
          if (key instanceof KeyObject) done(null, key as unknown as Buffer);
          else done(key);
        },
        algorithms: ['ES256'],
        issuer,
        audience: ACCESS_TOKEN_AUDIENCE,
        jsonWebTokenOptions: { clockTolerance: CLOCK_SKEW_SECONDS },
      },
      (payload: unknown, done: VerifiedCallback) =>
        void openSession(payload, sessions).then((identity) => done(null, identity), done),
    );
  }
}

/**
 * @throws SessionErrors.tokenInvalid for claims that we would not have signed, SessionErrors.ended for an ended
 * session
 */
async function openSession(payload: unknown, sessions: SessionsRepository): Promise<SessionIdentity> {
  const { data } = claims.safeParse(payload);
  if (!data) throw SessionErrors.tokenInvalid();
  const identity = { userId: data.sub, sessionId: data.sid };
  if (!(await sessions.isOpen(identity.sessionId, identity.userId))) throw SessionErrors.ended();
  return identity;
}

/** The token of a header that is nothing but `Bearer` and a token; the library's own reader takes more. */
function bearerToken(request: Request): string | null {
  return /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? null;
}

/** The key that signed a token, or why it is none of ours. */
function keyOf(token: unknown, keys: TokensConfig['keys']): KeyObject | AppError {
  const parts = typeof token === 'string' && token.length <= MAX_TOKEN_LENGTH ? token.split('.') : [];
  const [head = '', payload = '', signature = ''] = parts;
  const headObject = objectIn(head);
  if (!headObject || parts.length !== 3) return SessionErrors.tokenMalformed();
  const { data } = header.safeParse(headObject.value);
  const key = keys.find(({ kid }) => kid === data?.kid)?.publicKey;
  const isOurs = headObject.isOurs && objectIn(payload)?.isOurs && ES256_SIGNATURE.test(signature);
  return isOurs && key ? key : SessionErrors.tokenInvalid();
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
