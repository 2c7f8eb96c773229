import { Injectable } from '@nestjs/common';
import type { UserSession } from '@fd/contracts';
import { Clock, Database, type Transaction } from '@fd/platform';
import { type AuditAction, AuditTrail } from '../../core/index.js';

/** Maximum of a user's open sessions: a further login ends the oldest. */
const MAX_OPEN_SESSIONS = 20;

/**
 * The time of sessions: PostgreSQL's own.
 * @param ahead the parameter with the seconds by which the service's clock is ahead: 0 in production
 */
export const sessionNow = (ahead: string, now = 'now()'): string =>
  `(${now} + make_interval(secs => ${ahead}))`;

export const isOpen = (now = 'now()'): string => `ended_at IS NULL AND expires_at > ${now}`;

/** Whether a session may be used: a partner is disabled before its sessions end, and the command may stop in between. */
const isUsable = (now: string): string => `${isOpen(now)} AND EXISTS (
  SELECT FROM onboarding.partners WHERE partners.id = partner_id AND disabled_at IS NULL)`;

/** Returns a row if the session $1 of the user $2 may be used; $3 as `ahead` of `sessionNow`. */
export const FIND_USABLE_SESSION = `
SELECT 1 FROM onboarding.sessions WHERE id = $1 AND user_id = $2 AND ${isUsable(sessionNow('$3'))}`;

/**
 * Ends the oldest sessions of the user in `id` of the CTE FROM to make room for one more, and returns their ids.
 * Parallel logins do not see each other's session: the next login ends the surplus.
 */
export const makeRoom = (from: string, now: string): string => `
  UPDATE onboarding.sessions SET ended_at = ${now}, end_reason = 'REPLACED'
   WHERE ended_at IS NULL AND id IN (
     SELECT s.id FROM ${from} u JOIN onboarding.sessions s ON s.user_id = u.id
      WHERE ${isOpen(now)} ORDER BY s.created_at DESC, s.id DESC OFFSET ${MAX_OPEN_SESSIONS - 1})
  RETURNING id`;

/** Rows of each table in one DELETE, within the statement timeout. */
const PURGED_SESSIONS = 500;
const PURGED_TOKENS = 5_000;

/**
 * Deletes sessions that ended 30 days ago, with their tokens. Tokens go first, since one session may have thousands;
 * the session goes once its remaining tokens fit into the statement. Returns the number of deleted rows. The times are
 * constants, so that the planner knows how few rows match.
 */
export const PURGE_SESSIONS = `
WITH old AS MATERIALIZED (
  SELECT id FROM onboarding.sessions
   WHERE coalesce(ended_at, expires_at) < now() - interval '30 days'
   LIMIT ${PURGED_SESSIONS} FOR UPDATE SKIP LOCKED
), tokens AS MATERIALIZED (
  SELECT t.token_hash FROM old JOIN onboarding.refresh_tokens t ON t.session_id = old.id LIMIT ${PURGED_TOKENS}
), unknown AS (
  DELETE FROM onboarding.refresh_tokens WHERE token_hash IN (SELECT token_hash FROM tokens) RETURNING 1
), ended AS (
  DELETE FROM onboarding.sessions
   WHERE id IN (SELECT id FROM old) AND (SELECT count(*) FROM tokens) < ${PURGED_TOKENS} RETURNING 1
)
SELECT (SELECT count(*) FROM unknown)::int + (SELECT count(*) FROM ended)::int AS count`;

/**
 * Idle time that ends a session. Login and refreshes count as use: an active client refreshes every 15 minutes, so other
 * calls need not write.
 */
export const IDLE_SECONDS = 7 * 86_400;

/** Maximum age of a session since the login. */
const MAX_SESSION_SECONDS = 30 * 86_400;

/**
 * Each refresh uses five minutes of its session's allowance, up to five hours in advance: 60 refreshes at once, then 12
 * an hour. A client needs four.
 */
const REFRESH_PACE_SECONDS = 300;
const MAX_BOOKED_SECONDS = 60 * REFRESH_PACE_SECONDS;

/** Maximum length of the list: users may have more sessions from before the limit. */
const MAX_LISTED = 100;

/** Time in which a rotated refresh token still returns its successor, so that a lost response does not end the login. */
const REUSE_GRACE_SECONDS = 30;

/** Reasons for ending a session early, with their audit actions. */
const END_ACTIONS = {
  LOGOUT: 'LOGGED_OUT',
  REVOKED: 'SESSION_ENDED',
  TOKEN_REUSE: 'REFRESH_TOKEN_REUSED',
} as const satisfies Record<string, AuditAction>;

/** One login on one device. */
export interface NewSession {
  readonly sessionId: string;
  readonly userId: string;
  readonly partnerId: string;
  readonly device: string | null;
}

/** A presented refresh token with its session. */
interface PresentedToken {
  readonly sessionId: string;
  readonly userId: string;
  /** Seconds until the session expires. */
  readonly secondsLeft: number;
  readonly isOpen: boolean;
  readonly isRotated: boolean;
  readonly isInGrace: boolean;
  /** Seconds until the next refresh is allowed; 0 or less means now. */
  readonly waitSeconds: number;
}

/** A token with its successor among the offered ones, or the reason for its refusal. */
type Rotation =
  | 'unknown'
  | 'reused'
  | { readonly retryAfterSeconds: number }
  | (Pick<PresentedToken, 'sessionId' | 'userId' | 'secondsLeft'> & { readonly successor: number });

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
    private readonly database: Database,
    private readonly audit: AuditTrail,
    private readonly clock: Clock,
  ) {}

  private get aheadSeconds(): number {
    return this.clock.aheadMs / 1_000;
  }

  /** Takes effect on all replicas at once. */
  async isOpen(sessionId: string, userId: string): Promise<boolean> {
    const rows: unknown[] = await this.database.query(FIND_USABLE_SESSION, [
      sessionId,
      userId,
      this.aheadSeconds,
    ]);
    return rows.length > 0;
  }

  /**
   * Replaces a refresh token by its successor. The rows of token and session are locked, so of parallel calls one
   * rotates and the others repeat its answer. Reuse after the grace period ends the session in the same transaction.
   * @param successorHashes the first becomes the successor; another may be it already, if a replica prefers its secret
   */
  async rotate(tokenHash: Buffer, successorHashes: readonly Buffer[]): Promise<Rotation> {
    return this.database.transaction(async (transaction): Promise<Rotation> => {
      const presented = await lockToken(transaction, tokenHash, this.aheadSeconds);
      if (!presented?.isOpen) return 'unknown';
      const { userId, sessionId } = presented;
      if (presented.isRotated && presented.isInGrace) {
        const successor = await findToken(transaction, sessionId, successorHashes);
        return successor < 0 ? 'unknown' : { ...presented, successor };
      }
      if (presented.isRotated) {
        await this.end({ userId, sessionId, reason: 'TOKEN_REUSE' }, transaction);
        return 'reused';
      }
      if (presented.waitSeconds > 0) return { retryAfterSeconds: presented.waitSeconds };
      const [{ secondsLeft }] = await transaction.query<[Pick<PresentedToken, 'secondsLeft'>]>(
        `WITH rotated AS (UPDATE onboarding.refresh_tokens SET rotated_at = ${sessionNow('$7')} WHERE token_hash = $2),
              token AS (INSERT INTO onboarding.refresh_tokens (token_hash, session_id) VALUES ($3, $1))
         UPDATE onboarding.sessions SET
           last_used_at = ${sessionNow('$7')},
           expires_at = least(${sessionNow('$7')} + make_interval(secs => $4), created_at + make_interval(secs => $5)),
           refreshes_booked_until = greatest(refreshes_booked_until, ${sessionNow('$7')}) + make_interval(secs => $6)
          WHERE id = $1 RETURNING ${remainingSeconds(sessionNow('$7'))}`,
        [
          sessionId,
          tokenHash,
          successorHashes[0],
          IDLE_SECONDS,
          MAX_SESSION_SECONDS,
          REFRESH_PACE_SECONDS,
          this.aheadSeconds,
        ],
      );
      return { sessionId, userId, secondsLeft, successor: 0 };
    });
  }

  /** @returns how many open sessions this call ended */
  async end(ended: EndedSessions, transaction?: Transaction): Promise<number> {
    if (!transaction) return this.database.transaction((own) => this.end(ended, own));
    const { userId, sessionId, reason } = ended;
    const count = await transaction.execute(
      `UPDATE onboarding.sessions SET ended_at = ${sessionNow('$4')}, end_reason = $2
        WHERE user_id = $1 AND ($3::uuid IS NULL OR id = $3) AND ${isOpen(sessionNow('$4'))}`,
      [userId, reason, sessionId ?? null, this.aheadSeconds],
    );
    const entry = { action: END_ACTIONS[reason], subject: userId, object: sessionId };
    if (count > 0) await this.audit.record(transaction, entry);
    return count;
  }

  /** Deletes a batch; returns how many sessions and tokens. */
  async purgeEnded(): Promise<number> {
    const [{ count }] = await this.database.query<[{ count: number }]>(PURGE_SESSIONS);
    return count;
  }

  async listOpen(userId: string): Promise<ListedSession[]> {
    return this.database.query<ListedSession[]>(
      `SELECT s.id AS session_id, p.url AS partner_url, s.device, s.created_at, s.last_used_at, s.expires_at
         FROM onboarding.sessions s JOIN onboarding.partners p ON p.id = s.partner_id
        WHERE s.user_id = $1 AND p.disabled_at IS NULL AND ${isOpen(sessionNow('$3'))}
        ORDER BY s.last_used_at DESC, s.id LIMIT $2`,
      [userId, MAX_LISTED, this.aheadSeconds],
    );
  }
}

const remainingSeconds = (now: string): string =>
  `floor(extract(epoch FROM expires_at - ${now}))::int AS "secondsLeft"`;

async function lockToken(
  transaction: Transaction,
  tokenHash: Buffer,
  aheadSeconds: number,
): Promise<PresentedToken | undefined> {
  const now = sessionNow('$4');
  const clockNow = sessionNow('$4', 'clock_timestamp()');
  const [row] = await transaction.query<PresentedToken[]>(
    `SELECT t.session_id AS "sessionId", s.user_id AS "userId", (${isUsable(now)}) AS "isOpen",
            t.rotated_at IS NOT NULL AS "isRotated",
            -- the transaction may have waited for the lock: its own now() is earlier than the committed change
            t.rotated_at > ${clockNow} - make_interval(secs => $2) AS "isInGrace",
            coalesce(ceil(extract(epoch FROM s.refreshes_booked_until - ${clockNow}) - $3), 0)::int AS "waitSeconds",
            ${remainingSeconds(now)}
       FROM onboarding.refresh_tokens t JOIN onboarding.sessions s ON s.id = t.session_id
      WHERE t.token_hash = $1
        -- locks the session too: a parallel end of the session commits first, and then no token is issued
        FOR UPDATE OF t, s`,
    [tokenHash, REUSE_GRACE_SECONDS, MAX_BOOKED_SECONDS - REFRESH_PACE_SECONDS, aheadSeconds],
  );
  return row;
}

/** Index of the hash that is a token of the session; -1 for none. */
async function findToken(
  transaction: Transaction,
  sessionId: string,
  hashes: readonly Buffer[],
): Promise<number> {
  const rows = await transaction.query<{ token_hash: Buffer }[]>(
    'SELECT token_hash FROM onboarding.refresh_tokens WHERE session_id = $1 AND token_hash = ANY($2)',
    [sessionId, hashes],
  );
  return hashes.findIndex((hash) => rows.some((row) => row.token_hash.equals(hash)));
}
