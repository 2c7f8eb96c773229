import {
  createHash,
  createHmac,
  createSecretKey,
  type KeyObject,
  randomBytes,
  randomUUID,
} from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import type { TokenPayload } from '@fd/contracts';
import { GeneralErrors, SessionErrors } from '@fd/errors';
import { Clock } from '@fd/platform';
import { Counter, Registry } from 'prom-client';
import { v7 as uuidv7, validate as isUuid } from 'uuid';
import { TokensConfig } from '../../config/index.js';
import { IDLE_SECONDS } from './sessions.queries.js';
import { type NewSession, SessionsRepository } from './sessions.repository.js';
import { jwtTime, signedJwt } from './signed-jwt.js';

/** Type and audience of access tokens; they differ from those of our other JWTs. */
export const ACCESS_TOKEN_TYPE = 'at+jwt';
export const ACCESS_TOKEN_AUDIENCE = 'fd-onboarding';

/** Short, because a gateway verifies only the signature of a token. */
const ACCESS_TOKEN_SECONDS = 900;

export interface PreparedSession extends NewSession {
  readonly refreshToken: string;
}

@Injectable()
export class SessionsService {
  private readonly logger = new Logger(SessionsService.name);
  private readonly reuses: Counter;
  private readonly refreshKeys: readonly KeyObject[];

  constructor(
    private readonly sessions: SessionsRepository,
    private readonly config: TokensConfig,
    private readonly clock: Clock,
    registry: Registry,
  ) {
    this.refreshKeys = config.refreshSecrets.map((secret) => createSecretKey(secret));
    this.reuses = new Counter({
      name: 'refresh_token_reuses_total',
      help: 'Sessions ended because a refresh token was used again too late: possible theft',
      registers: [registry],
    });
  }

  prepare(login: Omit<NewSession, 'sessionId'>): PreparedSession {
    return { ...login, sessionId: uuidv7(), refreshToken: randomBytes(32).toString('base64url') };
  }

  tokensOf(
    { refreshToken, ...identity }: Pick<PreparedSession, 'userId' | 'sessionId' | 'refreshToken'>,
    secondsLeft = IDLE_SECONDS,
  ): TokenPayload {
    return {
      access_token: this.signAccessToken(identity),
      token_type: 'Bearer',
      expires_in: ACCESS_TOKEN_SECONDS,
      refresh_token: refreshToken,
      refresh_expires_in: secondsLeft,
    };
  }

  /**
   * Exchanges a refresh token for the next one.
   * @throws SessionErrors.refreshTokenInvalid, SessionErrors.refreshTokenReused after ending the session;
   * GeneralErrors.tooManyRequests for too many refreshes: the token stays valid
   */
  async refresh(refreshToken: string): Promise<TokenPayload> {
    const successors = this.refreshKeys.map((key) => successorOf(refreshToken, key));
    const rotation = await this.sessions.rotate(hashOf(refreshToken), successors.map(hashOf));
    if (rotation === 'unknown') throw SessionErrors.refreshTokenInvalid();
    if (rotation === 'reused') {
      this.reuses.inc();
      this.logger.warn({ msg: 'a refresh token was used again: its session was ended' });
      throw SessionErrors.refreshTokenReused();
    }
    if ('retryAfterSeconds' in rotation) throw GeneralErrors.tooManyRequests(rotation);
    const { userId, sessionId, successor, secondsLeft } = rotation;
    return this.tokensOf({ userId, sessionId, refreshToken: successors[successor]! }, secondsLeft);
  }

  /** @throws GeneralErrors.recordUnknown for a session of another user, as for an unknown one */
  async revoke(userId: string, sessionId: string): Promise<void> {
    const ended = isUuid(sessionId) ? await this.sessions.end({ userId, sessionId, reason: 'REVOKED' }) : 0;
    if (ended === 0) throw GeneralErrors.recordUnknown();
  }

  /** Contains no personal data. */
  private signAccessToken({ userId, sessionId }: Pick<PreparedSession, 'userId' | 'sessionId'>): string {
    const now = jwtTime(this.clock.now());
    return signedJwt(this.config.keys[0]!, ACCESS_TOKEN_TYPE, {
      sid: sessionId,
      iss: this.config.issuer,
      aud: ACCESS_TOKEN_AUDIENCE,
      sub: userId,
      jti: randomUUID(),
      iat: now,
      nbf: now,
      exp: now + ACCESS_TOKEN_SECONDS,
    });
  }
}

export const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest();

/** Derived, not random, so that a repeat within the grace period gets the same token although it is not stored. */
const successorOf = (token: string, key: KeyObject): string =>
  createHmac('sha256', key).update(`successor\u0000${token}`).digest('base64url');
