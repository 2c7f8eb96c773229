import type { KeyObject } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { SessionErrors } from '@fd/errors';
import type { Request } from 'express';
import { Strategy, type VerifiedCallback } from 'passport-jwt';
import { z } from 'zod';
import { TokensConfig } from '../../config/index.js';
import { ACCESS_TOKEN_AUDIENCE, ACCESS_TOKEN_TYPE } from './tokens.js';
import { CLOCK_SKEW_SECONDS } from './session.policy.js';
import type { SessionIdentity } from '../../core/index.js';
import { SessionsRepository } from './sessions.repository.js';

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

/** Raised for a token that is no JWT at all. */
export class MalformedTokenError extends Error {}

/** Raised for a JWT whose header we would not have written, or whose key we do not know. */
export class RefusedTokenError extends Error {}

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
          if (key instanceof Error) done(key);
          // the types know strings only; the library takes key objects
          else done(null, key as unknown as Buffer);
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

function keyOf(token: unknown, keys: TokensConfig['keys']): KeyObject | Error {
  const parts = typeof token === 'string' && token.length <= MAX_TOKEN_LENGTH ? token.split('.') : [];
  if (parts.length !== 3) return new MalformedTokenError('no compact JWT');
  const [head, payload] = [objectIn(parts[0]!), objectIn(parts[1]!)];
  if (!head) return new MalformedTokenError('no JWT header');
  if (!head.isOurs || !payload?.isOurs) return new RefusedTokenError('not as we write it');
  const { data } = header.safeParse(head.value);
  if (!data) return new RefusedTokenError('header refused');
  if (!ES256_SIGNATURE.test(parts[2]!)) return new RefusedTokenError('no ES256 signature');
  return keys.find(({ kid }) => kid === data.kid)?.publicKey ?? new RefusedTokenError('unknown key');
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
