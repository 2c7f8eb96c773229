import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { UserSession } from '@fd/contracts';
import { Clock, pipelined } from '@fd/platform';
import { type EntityManager, In, IsNull, type Repository } from 'typeorm';
import { LoginConfig } from '../../config/index.js';
import { type AuditAction, AuditTrail, type SessionIdentity } from '../../core/index.js';
import { RefreshToken } from './refresh-token.entity.js';
import { Session } from './session.entity.js';
import {
  END_SESSIONS,
  FIND_USABLE_SESSION,
  LOCK_TOKEN,
  OPEN_SESSION,
  PURGE_SESSIONS,
  ROTATE_TOKEN,
} from './sessions.queries.js';

/** Maximum length of the list: users may have more sessions from before the limit. */
const MAX_LISTED = 100;

const END_ACTIONS = {
  LOGOUT: 'LOGGED_OUT',
  REVOKED: 'SESSION_ENDED',
  TOKEN_REUSE: 'REFRESH_TOKEN_REUSED',
} as const satisfies Record<string, AuditAction>;

export interface NewSession {
  readonly sessionId: string;
  readonly userId: string;
  readonly partnerId: string;
  readonly device: string | null;
  readonly isUnconfirmed: boolean;
}

/** A token with its successor among the offered ones, or the reason for its refusal. */
type Rotation =
  | 'unknown'
  | 'reused'
  | { readonly retryAfterSeconds: number }
  | {
      readonly sessionId: string;
      readonly userId: string;
      /** Until the session expires. */
      readonly secondsLeft: number;
      readonly successor: number;
    };

type Times = 'created_at' | 'last_used_at' | 'expires_at';
type ListedSession = Omit<UserSession, 'is_current' | Times> & Readonly<Record<Times, Date>>;

/** One or all sessions of a user, with the reason for ending them. */
interface EndedSessions {
  readonly userId: string;
  readonly sessionId?: string;
  readonly reason: keyof typeof END_ACTIONS;
}

/**
 * Sessions and the hashes of their refresh tokens; a rotated token is kept as long as its session, to detect reuse. All
 * times are PostgreSQL's own, shifted by as much as the service's clock is ahead.
 */
@Injectable()
export class SessionsRepository {
  constructor(
    @InjectRepository(Session) private readonly rows: Repository<Session>,
    private readonly audit: AuditTrail,
    private readonly clock: Clock,
    private readonly config: LoginConfig,
  ) {}

  /** The end of a session takes effect on all replicas at once. @returns undefined unless the session is open */
  async findOpen(
    sessionId: string,
    userId: string,
    manager = this.rows.manager,
  ): Promise<{ isUnconfirmed: boolean; isUnshared: boolean; partnerId: string } | undefined> {
    const { arePartnersSeparate } = this.config;
    const values = { sessionId, userId, aheadSeconds: this.clock.aheadSeconds, arePartnersSeparate };
    return (await FIND_USABLE_SESSION.rows(manager, values))[0];
  }

  /**
   * Makes an unconfirmed session one of the account's owner.
   * @param isProved whether by what only the owner knows
   * @returns false if it has ended
   */
  async confirm(
    tx: EntityManager,
    { userId, sessionId: id }: SessionIdentity,
    isProved: boolean,
  ): Promise<boolean> {
    const confirmed = { isUnconfirmed: false, ...(isProved && { confirmedAt: () => 'now()' }) };
    const { affected } = await tx.update(Session, { id, userId, endedAt: IsNull() }, confirmed);
    return affected === 1;
  }

  /**
   * Ends all unconfirmed sessions of a user who is locked.
   * @returns the device of the given one; undefined if it is none of them
   */
  async endUnconfirmed(
    tx: EntityManager,
    { userId, sessionId: id }: Pick<SessionIdentity, 'userId' | 'sessionId'>,
  ): Promise<string | null | undefined> {
    const unconfirmed = { userId, isUnconfirmed: true, endedAt: IsNull() };
    const session = await tx.findOneBy(Session, { ...unconfirmed, id });
    const ended = { endedAt: () => 'now()', endReason: 'REVOKED' } as const;
    await tx.update(Session, unconfirmed, ended);
    return session?.device;
  }

  /** Opens the session of a login, and ends the oldest of too many. */
  async open(tx: EntityManager, session: NewSession, tokenHash: Buffer): Promise<void> {
    const { userId: subject, sessionId: object } = session;
    const [[opened]] = await pipelined([
      OPEN_SESSION.rows(tx, { ...session, tokenHash, aheadSeconds: this.clock.aheadSeconds }),
      this.audit.record(tx, { action: 'LOGGED_IN', subject, object }),
    ]);
    if (opened!.replaced > 0)
      await this.audit.record(tx, { action: 'OLDEST_SESSION_ENDED', subject, object });
  }

  /**
   * Replaces a refresh token by its successor. The rows of token and session are locked, so of parallel calls one
   * rotates and the others repeat its answer. Reuse after the grace period ends the session in the same transaction.
   * @param successorHashes the first becomes the successor; another may be it already, if a replica prefers its secret
   */
  async rotate(tokenHash: Buffer, successorHashes: readonly Buffer[]): Promise<Rotation> {
    const { aheadSeconds } = this.clock;
    return this.rows.manager.transaction(async (tx): Promise<Rotation> => {
      const [presented] = await LOCK_TOKEN.rows(tx, { tokenHash, aheadSeconds });
      if (!presented?.isOpen) return 'unknown';
      const { userId, sessionId } = presented;
      if (presented.isRotated && presented.isInGrace) {
        const successor = await findToken(tx, sessionId, successorHashes);
        return successor < 0 ? 'unknown' : { ...presented, successor };
      }
      if (presented.isRotated) {
        await this.endWithin(tx, { userId, sessionId, reason: 'TOKEN_REUSE' });
        return 'reused';
      }
      if (presented.waitSeconds > 0) return { retryAfterSeconds: presented.waitSeconds };
      const successorHash = successorHashes[0]!;
      const [rotated] = await ROTATE_TOKEN.rows(tx, { sessionId, tokenHash, successorHash, aheadSeconds });
      return { sessionId, userId, secondsLeft: rotated!.secondsLeft, successor: 0 };
    });
  }

  /** @returns how many open sessions this call ended */
  async end(ended: EndedSessions): Promise<number> {
    return this.rows.manager.transaction((tx) => this.endWithin(tx, ended));
  }

  private async endWithin(tx: EntityManager, { userId, sessionId, reason }: EndedSessions): Promise<number> {
    const values = { userId, sessionId: sessionId ?? null, reason, aheadSeconds: this.clock.aheadSeconds };
    const count = await END_SESSIONS.run(tx, values);
    const entry = { action: END_ACTIONS[reason], subject: userId, object: sessionId };
    if (count > 0) await this.audit.record(tx, entry);
    return count;
  }

  /** Deletes a batch; returns how many sessions and tokens. */
  async purgeEnded(): Promise<number> {
    const [purged] = await PURGE_SESSIONS.rows(this.rows.manager, {});
    return purged!.count;
  }

  async listOpen(userId: string): Promise<ListedSession[]> {
    return (
      this.rows
        .createQueryBuilder('s')
        .select('s.id', 'session_id')
        .addSelect('p.url', 'partner_url')
        .addSelect('s.device', 'device')
        .addSelect('s.createdAt', 'created_at')
        .addSelect('s.lastUsedAt', 'last_used_at')
        .addSelect('s.expiresAt', 'expires_at')
        // by name, since partners build on sessions
        .innerJoin('Partner', 'p', 'p.id = s.partnerId')
        .where('s.userId = :userId AND p.disabledAt IS NULL AND s.endedAt IS NULL', { userId })
        .andWhere('s.expiresAt > now() + make_interval(secs => :ahead)', { ahead: this.clock.aheadSeconds })
        .orderBy('s.lastUsedAt', 'DESC')
        .addOrderBy('s.id')
        .limit(MAX_LISTED)
        .getRawMany<ListedSession>()
    );
  }
}

/** Index of the hash that is a token of the session; -1 for none. */
async function findToken(tx: EntityManager, sessionId: string, hashes: readonly Buffer[]): Promise<number> {
  const rows = await tx.find(RefreshToken, {
    select: { tokenHash: true },
    where: { sessionId, tokenHash: In(hashes) },
  });
  return hashes.findIndex((hash) => rows.some(({ tokenHash }) => tokenHash.equals(hash)));
}
