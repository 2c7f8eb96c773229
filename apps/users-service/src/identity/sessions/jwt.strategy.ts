import { hash, KeyObject } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type AppError, SessionErrors } from '@fd/errors';
import type { Request } from 'express';
import { Strategy, type VerifiedCallback } from 'passport-jwt';
import { z } from 'zod';
import { TokensConfig } from '../../config/index.js';
import type { SessionIdentity } from '../../core/index.js';
import { SessionsRepository } from './sessions.repository.js';
import { ACCESS_TOKEN_AUDIENCE, ACCESS_TOKEN_TYPE } from './sessions.service.js';
import { jwtNow } from './signed-jwt.js';

/** Clock tolerance for tokens. */
const CLOCK_SKEW_SECONDS = 30;

const MAX_TOKEN_LENGTH = 4_096;

/** About as many as there are people within the life of a token; each takes some hundred bytes. */
const MAX_VERIFIED = 5_000;

/** 64 bytes, the last bits unused: the verifier throws on other lengths, and overlooks such bits. */
const ES256_SIGNATURE = /^[A-Za-z0-9_-]{85}[AQgw]$/;

/** Nothing else may stand in the header: a key or an address of a key in it would be an invitation to believe it. */
const header = z.strictObject({
  alg: z.literal('ES256'),
  typ: z.literal(ACCESS_TOKEN_TYPE),
  kid: z.string().max(64),
});

const claims = z.object({ sub: z.uuid(), sid: z.uuid(), nbf: z.number(), exp: z.number() });

type Claims = z.output<typeof claims>;

/**
 * Checks a Bearer token: its header before any key is touched, its signature before any store is asked. The claims of a
 * verified token are remembered until it expires, since keys change only with a restart. Whether its session is open is
 * asked for each request.
 */
@Injectable()
export class JwtStrategy extends Strategy {
  /** By the SHA-256 of the whole token, the oldest first. */
  private readonly verified = new Map<string, Claims>();

  constructor(
    { keys, issuer }: TokensConfig,
    private readonly sessions: SessionsRepository,
  ) {
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
        passReqToCallback: true,
      },
      (request: Request, payload: unknown, done: VerifiedCallback) =>
        void this.admit(request, payload).then((identity) => done(null, identity), done),
    );
  }

  override authenticate(request: Request): void {
    const known = this.rememberedOf(request);
    if (known)
      this.openSession(known).then(
        (identity) => this.success(identity),
        (error: Error) => this.error(error),
      );
    else super.authenticate(request);
  }

  /** @throws SessionErrors.tokenInvalid for claims that we would not have signed, and as `openSession` */
  private async admit(request: Request, payload: unknown): Promise<SessionIdentity> {
    const { data } = claims.safeParse(payload);
    if (!data) throw SessionErrors.tokenInvalid();
    if (this.verified.size >= MAX_VERIFIED) this.verified.delete(this.verified.keys().next().value!);
    this.verified.set(digestOf(bearerToken(request)!), data);
    return this.openSession(data);
  }

  /** The claims of a token that was verified before and has not expired since. */
  private rememberedOf(request: Request): Claims | undefined {
    const token = bearerToken(request);
    if (!token) return undefined;
    const digest = digestOf(token);
    const known = this.verified.get(digest);
    if (!known) return undefined;
    const now = jwtNow();
    // before its time when our clock was set back
    if (known.nbf <= now + CLOCK_SKEW_SECONDS && now < known.exp + CLOCK_SKEW_SECONDS) return known;
    this.verified.delete(digest);
    return undefined;
  }

  /** @throws SessionErrors.ended */
  private async openSession({ sub: userId, sid: sessionId }: Claims): Promise<SessionIdentity> {
    if (!(await this.sessions.isOpen(sessionId, userId))) throw SessionErrors.ended();
    return { userId, sessionId };
  }
}

const digestOf = (token: string): string => hash('sha256', token, 'binary');

/** The token of a header that is nothing but `Bearer` and a token; the library's own reader takes more. */
function bearerToken(request: Request): string | null {
  return /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? null;
}

/** The key that signed a token, or the reason that it is not ours. */
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
