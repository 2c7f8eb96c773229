import { Injectable, Logger } from '@nestjs/common';
import type { TokenPayload } from '@fd/contracts';
import { GeneralErrors, SessionErrors } from '@fd/errors';
import { Counter, Registry } from 'prom-client';
import type { EntityManager } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { TokensConfig } from '../../config/index.js';
import { AccessTokens, hashRefreshToken, newRefreshToken, successorOf } from './tokens.js';
import { ACCESS_TOKEN_SECONDS, SESSION_SECONDS } from './session.policy.js';
import type { SessionIdentity } from '../../core/index.js';
import { type ListedSession, SessionsRepository } from './sessions.repository.js';

export interface PreparedSession {
  readonly userId: string;
  readonly sessionId: string;
  readonly partnerId: string;
  readonly device: string | null;
  readonly refreshToken: string;
}

@Injectable()
export class SessionsService {
  private readonly logger = new Logger(SessionsService.name);
  private readonly reuses: Counter;

  constructor(
    private readonly sessions: SessionsRepository,
    private readonly accessTokens: AccessTokens,
    private readonly config: TokensConfig,
    registry: Registry,
  ) {
    this.reuses = new Counter({
      name: 'refresh_token_reuses_total',
      help: 'Sessions ended because a refresh token was used again too late: possible theft',
      registers: [registry],
    });
  }

  /** Makes a session that is to be opened: its id and its refresh token are known before. */
  prepare(login: { userId: string; partnerId: string; device: string | null }): PreparedSession {
    return { ...login, sessionId: uuidv7(), refreshToken: newRefreshToken() };
  }

  /** Opens a session in the login's transaction. */
  async open(manager: EntityManager, { sessionId, refreshToken, ...login }: PreparedSession): Promise<void> {
    await this.sessions.open(manager, {
      ...login,
      id: sessionId,
      refreshTokenHash: hashRefreshToken(refreshToken),
    });
  }

  /** The tokens of a session that has just been opened. */
  async tokensOf({ userId, sessionId, refreshToken }: PreparedSession): Promise<TokenPayload> {
    return this.tokens({ userId, sessionId }, refreshToken, SESSION_SECONDS);
  }

  /**
   * Exchanges a refresh token for the next one.
   * @throws SessionErrors.refreshTokenInvalid unknown, expired or ended; SessionErrors.refreshTokenReused used
   * before: the session has been ended
   */
  async refresh(refreshToken: string): Promise<TokenPayload> {
    const successors = this.config.refreshSecrets.map((secret) => successorOf(refreshToken, secret));
    const rotation = await this.sessions.rotate(
      hashRefreshToken(refreshToken),
      successors.map(hashRefreshToken),
    );
    if (rotation.outcome === 'unknown') throw SessionErrors.refreshTokenInvalid();
    if (rotation.outcome === 'reused') {
      this.reuses.inc();
      this.logger.warn({ msg: 'a refresh token was used again: its session was ended' });
      throw SessionErrors.refreshTokenReused();
    }
    return this.tokens(rotation, successors[rotation.successor]!, rotation.secondsLeft);
  }

  /** @returns how many sessions were ended */
  async logOut({ userId, sessionId }: SessionIdentity, fromAllDevices: boolean): Promise<number> {
    return fromAllDevices
      ? this.sessions.endAll(userId, 'LOGOUT')
      : this.sessions.endOne(userId, sessionId, 'LOGOUT');
  }

  async list(userId: string): Promise<ListedSession[]> {
    return this.sessions.listOpen(userId);
  }

  /** @throws GeneralErrors.recordUnknown for a session that is not the user's: the same as for one that nobody has */
  async revoke(userId: string, sessionId: string): Promise<void> {
    const ended = UUID.test(sessionId) ? await this.sessions.endOne(userId, sessionId, 'REVOKED') : 0;
    if (ended === 0) throw GeneralErrors.recordUnknown();
  }

  private async tokens(
    identity: SessionIdentity,
    refreshToken: string,
    secondsLeft: number,
  ): Promise<TokenPayload> {
    return {
      access_token: await this.accessTokens.issue(identity),
      token_type: 'Bearer',
      expires_in: ACCESS_TOKEN_SECONDS,
      refresh_token: refreshToken,
      refresh_expires_in: secondsLeft,
    };
  }
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
