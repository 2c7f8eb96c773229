import { Injectable } from '@nestjs/common';
import { pipelined } from '@fd/platform';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { type AuditAction, AuditTrail } from '../../core/index.js';
import {
  type EndReason,
  KEEP_ENDED_SECONDS,
  REUSE_GRACE_SECONDS,
  SESSION_SECONDS,
} from './session.policy.js';

export interface NewSession {
  readonly id: string;
  readonly userId: string;
  readonly partnerId: string;
  readonly device: string | null;
  readonly refreshTokenHash: Buffer;
}

export interface OpenSession {
  readonly sessionId: string;
  readonly userId: string;
  /** Seconds until the session ends by itself. */
  readonly secondsLeft: number;
}

export type Rotation =
  | { readonly outcome: 'unknown' }
  | { readonly outcome: 'reused' }
  | ({
      readonly outcome: 'rotated' | 'repeated';
      /** Which of the offered successors it is. */
      readonly successor: number;
    } & OpenSession);

export interface ListedSession {
  readonly id: string;
  readonly partner_url: string;
  readonly device: string | null;
  readonly created_at: Date;
  readonly last_used_at: Date;
  readonly expires_at: Date;
}

interface PresentedToken {
  session_id: string;
  user_id: string;
  is_open: boolean;
  is_rotated: boolean;
  is_in_grace: boolean;
  seconds_left: number;
}

/** Few enough to stay within the limits of a query. */
const PURGE_BATCH = 500;

/** How the audit trail records the end of a session. */
const END_ACTIONS: Readonly<Record<EndReason, AuditAction>> = {
  LOGOUT: 'LOGGED_OUT',
  REVOKED: 'SESSION_ENDED',
  TOKEN_REUSE: 'REFRESH_TOKEN_REUSED',
};

const IS_OPEN = 'ended_at IS NULL AND expires_at > now()';

/** Sessions and their refresh tokens. All times are PostgreSQL's own. */
@Injectable()
export class SessionsRepository {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly audit: AuditTrail,
  ) {}

  async open(manager: EntityManager, session: NewSession): Promise<void> {
    const { id, userId, partnerId, device, refreshTokenHash } = session;
    await manager.query(
      `WITH opened AS (
         INSERT INTO onboarding.sessions (id, user_id, partner_id, device, expires_at)
         VALUES ($1, $2, $3, $4, now() + make_interval(secs => $5)) RETURNING id
       )
       INSERT INTO onboarding.refresh_tokens (token_hash, session_id) SELECT $6, id FROM opened`,
      [id, userId, partnerId, device, SESSION_SECONDS, refreshTokenHash],
    );
  }

  /** Whether a session exists for this user and has not ended: the answer is exact on every replica at once. */
  async isOpen(sessionId: string, userId: string): Promise<boolean> {
    const rows: unknown[] = await this.dataSource.query(
      `SELECT 1 FROM onboarding.sessions WHERE id = $1 AND user_id = $2 AND ${IS_OPEN}`,
      [sessionId, userId],
    );
    return rows.length > 0;
  }

  /**
   * Replaces a refresh token by its successor. The token's row is locked, so of parallel calls one rotates and
   * the others repeat its answer. Reuse after the grace period ends the session in the same transaction.
   * @param successorHashes the first becomes the successor; each may have become it before, at a replica that
   * prefers another secret
   */
  async rotate(tokenHash: Buffer, successorHashes: readonly Buffer[]): Promise<Rotation> {
    return this.dataSource.transaction(async (manager): Promise<Rotation> => {
      const presented = await lockToken(manager, tokenHash);
      if (!presented?.is_open) return { outcome: 'unknown' };
      const session = {
        sessionId: presented.session_id,
        userId: presented.user_id,
        secondsLeft: presented.seconds_left,
      };
      if (presented.is_rotated && !presented.is_in_grace) {
        await this.end(manager, { ...session, reason: 'TOKEN_REUSE' });
        return { outcome: 'reused' };
      }
      if (presented.is_rotated) {
        const successor = await findToken(manager, presented.session_id, successorHashes);
        return successor < 0 ? { outcome: 'unknown' } : { outcome: 'repeated', successor, ...session };
      }
      const { sessionId } = session;
      await pipelined([
        manager.query('UPDATE onboarding.refresh_tokens SET rotated_at = now() WHERE token_hash = $1', [
          tokenHash,
        ]),
        insertToken(manager, successorHashes[0]!, sessionId),
        manager.query('UPDATE onboarding.sessions SET last_used_at = now() WHERE id = $1', [sessionId]),
      ]);
      return { outcome: 'rotated', successor: 0, ...session };
    });
  }

  /** @returns how many sessions this call ended: 0 or 1 */
  async endOne(userId: string, sessionId: string, reason: EndReason): Promise<number> {
    return this.dataSource.transaction((manager) => this.end(manager, { userId, sessionId, reason }));
  }

  async endAll(userId: string, reason: EndReason): Promise<number> {
    return this.dataSource.transaction((manager) => this.end(manager, { userId, reason }));
  }

  /**
   * Deletes sessions that ended longer ago than anybody may ask about, a bounded number at a time.
   * @returns how many were deleted
   */
  async purgeEnded(): Promise<number> {
    const [, count] = await this.dataSource.query<[unknown, number]>(
      `DELETE FROM onboarding.sessions WHERE id IN (
         SELECT id FROM onboarding.sessions
          WHERE coalesce(ended_at, expires_at) < now() - make_interval(secs => $1)
          LIMIT $2 FOR UPDATE SKIP LOCKED)`,
      [KEEP_ENDED_SECONDS, PURGE_BATCH],
    );
    return count;
  }

  async listOpen(userId: string): Promise<ListedSession[]> {
    return this.dataSource.query<ListedSession[]>(
      `SELECT s.id, p.url AS partner_url, s.device, s.created_at, s.last_used_at, s.expires_at
         FROM onboarding.sessions s JOIN onboarding.partners p ON p.id = s.partner_id
        WHERE s.user_id = $1 AND s.ended_at IS NULL AND s.expires_at > now()
        ORDER BY s.last_used_at DESC, s.id`,
      [userId],
    );
  }

  /** Ends the open sessions of a user, or the one that is named. */
  private async end(
    manager: EntityManager,
    { userId, sessionId, reason }: { userId: string; sessionId?: string; reason: EndReason },
  ): Promise<number> {
    const [, count] = await manager.query<[unknown, number]>(
      `UPDATE onboarding.sessions SET ended_at = now(), end_reason = $2
        WHERE user_id = $1 AND ($3::uuid IS NULL OR id = $3) AND ${IS_OPEN}`,
      [userId, reason, sessionId ?? null],
    );
    const entry = { action: END_ACTIONS[reason], subject: userId, object: sessionId };
    if (count > 0) await this.audit.record(manager, entry);
    return count;
  }
}

async function insertToken(manager: EntityManager, tokenHash: Buffer, sessionId: string): Promise<void> {
  await manager.query('INSERT INTO onboarding.refresh_tokens (token_hash, session_id) VALUES ($1, $2)', [
    tokenHash,
    sessionId,
  ]);
}

/** Which of these hashes is a token of the session; -1: none. */
async function findToken(
  manager: EntityManager,
  sessionId: string,
  hashes: readonly Buffer[],
): Promise<number> {
  const rows = await manager.query<{ token_hash: Buffer }[]>(
    'SELECT token_hash FROM onboarding.refresh_tokens WHERE session_id = $1 AND token_hash = ANY($2)',
    [sessionId, hashes],
  );
  return hashes.findIndex((hash) => rows.some((row) => row.token_hash.equals(hash)));
}

async function lockToken(manager: EntityManager, tokenHash: Buffer): Promise<PresentedToken | undefined> {
  const [row] = await manager.query<PresentedToken[]>(
    `SELECT t.session_id, s.user_id,
            s.ended_at IS NULL AND s.expires_at > now() AS is_open,
            t.rotated_at IS NOT NULL AS is_rotated,
            -- the transaction may have waited for the lock: its own now() is older than what it waited for
            t.rotated_at > clock_timestamp() - make_interval(secs => $2) AS is_in_grace,
            floor(extract(epoch FROM s.expires_at - now()))::int AS seconds_left
       FROM onboarding.refresh_tokens t JOIN onboarding.sessions s ON s.id = t.session_id
      WHERE t.token_hash = $1
        FOR UPDATE OF t`,
    [tokenHash, REUSE_GRACE_SECONDS],
  );
  return row;
}
