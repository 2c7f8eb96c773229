import { hash, KeyObject } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { type AppError, SessionErrors } from '@fd/errors';
import { Clock } from '@fd/platform';
import type { Request } from 'express';
import { Strategy } from 'passport-jwt';
import { z } from 'zod';
import { TokensConfig } from '../../config/index.js';
import type { SessionIdentity } from '../../core/index.js';
import { SessionsRepository } from './sessions.repository.js';
import { ACCESS_TOKEN_AUDIENCE, ACCESS_TOKEN_TYPE } from './sessions.service.js';
import { jwtTime } from './signed-jwt.js';

const CLOCK_SKEW_SECONDS = 30;

const MAX_TOKEN_LENGTH = 4_096;

/** About the number of users within the validity of a token; some hundred bytes each. */
const MAX_VERIFIED = 5_000;

/** 64 bytes with zero padding bits: the verifier throws for other lengths and ignores those bits. */
const ES256_SIGNATURE = /^[A-Za-z0-9_-]{85}[AQgw]$/;

/** Allowed header members: a header must not supply a key or its URL. */
const header = z.strictObject({
  alg: z.literal('ES256'),
  typ: z.literal(ACCESS_TOKEN_TYPE),
  kid: z.string().max(64),
});

const claims = z.object({ sub: z.uuid(), sid: z.uuid(), nbf: z.number(), exp: z.number() });

type Claims = z.output<typeof claims>;

/**
 * Verifies a Bearer token: its header before any key is used, its signature before any store is read. Caches the claims
 * of a verified token until it expires, since keys change only with a restart. Reads for each request whether the
 * session is open.
 */
@Injectable()
export class JwtStrategy extends PassportStrategy(Strategy) {
  /** By SHA-256 of the token, oldest first. */
  private readonly verified = new Map<string, Claims>();

  constructor(
    { keys, issuer }: TokensConfig,
    private readonly sessions: SessionsRepository,
    private readonly clock: Clock,
  ) {
    super({
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
      // compared with the service's clock below, for cached tokens too
      ignoreExpiration: true,
      jsonWebTokenOptions: { ignoreNotBefore: true },
      passReqToCallback: true,
    });
  }

  /** Passport's hook. Takes the claims of a known token from the cache. */
  override authenticate(request: Request): void {
    const known = this.rememberedOf(request);
    if (known)
      this.openSession(known).then(
        (identity) => this.success(identity),
        (error: Error) => this.error(error),
      );
    else super.authenticate(request);
  }

  /**
   * @throws SessionErrors.tokenInvalid for claims that the service never signs; the errors of `refusalAt` and
   * `openSession`
   */
  async validate(request: Request, payload: unknown): Promise<SessionIdentity> {
    const { data } = claims.safeParse(payload);
    if (!data) throw SessionErrors.tokenInvalid();
    const refusal = refusalAt(jwtTime(this.clock.now()), data);
    if (refusal) throw refusal;
    if (this.verified.size >= MAX_VERIFIED) this.verified.delete(this.verified.keys().next().value!);
    this.verified.set(digestOf(bearerToken(request)!), data);
    return this.openSession(data);
  }

  private rememberedOf(request: Request): Claims | undefined {
    const token = bearerToken(request);
    if (!token) return undefined;
    const digest = digestOf(token);
    const known = this.verified.get(digest);
    if (!known || !refusalAt(jwtTime(this.clock.now()), known)) return known;
    this.verified.delete(digest);
    return undefined;
  }

  /** @throws SessionErrors.ended */
  private async openSession({ sub: userId, sid: sessionId }: Claims): Promise<SessionIdentity> {
    const session = await this.sessions.findOpen(sessionId, userId);
    if (!session) throw SessionErrors.ended();
    return { userId, sessionId, ...session };
  }
}

/** The refusal of a token before or after its time; undefined within it. Before it: the clock was set back. */
function refusalAt(now: number, { nbf, exp }: Claims): AppError | undefined {
  if (nbf > now + CLOCK_SKEW_SECONDS) return SessionErrors.tokenInvalid();
  return now < exp + CLOCK_SKEW_SECONDS ? undefined : SessionErrors.tokenExpired();
}

const digestOf = (token: string): string => hash('sha256', token, 'binary');

/** The token of a header of exactly `Bearer` and a token; the library's reader accepts more. */
function bearerToken(request: Request): string | null {
  return /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? null;
}

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
 * Parses a part of a token, and returns whether it has our exact encoding: other encodings allow duplicate members,
 * which parsers resolve differently, or different bytes with the same meaning.
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
