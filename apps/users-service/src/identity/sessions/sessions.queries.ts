import { statement } from '@fd/platform';

/** Maximum of a user's open sessions: a further login ends the oldest. */
const MAX_OPEN_SESSIONS = 20;

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

/** Time in which a rotated refresh token still returns its successor, so that a lost response does not end the login. */
const REUSE_GRACE_SECONDS = 30;

/** The time of sessions: PostgreSQL's own. `aheadSeconds`: by how much the service's clock is ahead, 0 in production. */
const NOW = '(now() + make_interval(secs => :aheadSeconds))';
const CLOCK_NOW = '(clock_timestamp() + make_interval(secs => :aheadSeconds))';

/** Condition of an open session, with `aheadSeconds`. */
export const isOpen = (now = 'now()'): string => `ended_at IS NULL AND expires_at > ${now}`;

/** Whether a session may be used: a partner is disabled before its sessions end, and the command may stop in between. */
const IS_USABLE = `${isOpen(NOW)} AND EXISTS (
  SELECT FROM onboarding.partners WHERE partners.id = partner_id AND disabled_at IS NULL)`;

/**
 * Whether a user has begun the account with another partner, and does not share it with this one; false unless partners are separate.
 * @param user SQL of the user's id
 * @param partner SQL of the partner's id
 */
export const isUnshared = (user: string, partner: string): string => `
  CASE WHEN :arePartnersSeparate THEN coalesce(${partner} <> (
      SELECT c.partner_id FROM onboarding.consents c
       WHERE c.user_id = ${user} AND c.purpose = 'TERMS_OF_USE' ORDER BY c.given_at, c.id LIMIT 1), false)
    AND NOT EXISTS (SELECT FROM onboarding.consents c
       WHERE c.user_id = ${user} AND c.partner_id = ${partner} AND c.purpose = 'PARTNER_SHARING' AND c.withdrawn_at IS NULL)
    ELSE false END`;

/**
 * A row if a session may be used. What a session may do without the consent to share depends on whether the account was confirmed in it.
 * Raw: every call of a user runs it.
 */
export const FIND_USABLE_SESSION = statement(
  { sessionId: 'uuid', userId: 'uuid', aheadSeconds: 'float8', arePartnersSeparate: 'bool' },
  `SELECT is_unconfirmed OR (confirmed_at IS NULL AND u."isUnshared") AS "isUnconfirmed", u."isUnshared", partner_id AS "partnerId"
     FROM onboarding.sessions, LATERAL (SELECT ${isUnshared('sessions.user_id', 'sessions.partner_id')} AS "isUnshared") u
    WHERE id = :sessionId AND user_id = :userId AND ${IS_USABLE}`,
  { isUnconfirmed: 'bool', isUnshared: 'bool', partnerId: 'uuid' },
);

/**
 * Opens a session with its refresh token, and ends the oldest sessions of the user to make room. Parallel logins do not see each other's
 * session: the next login ends the surplus. Raw and one statement: each login runs it.
 */
export const OPEN_SESSION = statement(
  {
    sessionId: 'uuid',
    userId: 'uuid',
    partnerId: 'uuid',
    device: 'text?',
    isUnconfirmed: 'bool',
    tokenHash: 'bytea',
    aheadSeconds: 'float8',
  },
  `
WITH replaced AS (
  UPDATE onboarding.sessions SET ended_at = ${NOW}, end_reason = 'REPLACED'
   WHERE ended_at IS NULL AND id IN (
     SELECT id FROM onboarding.sessions WHERE user_id = :userId AND ${isOpen(NOW)}
        -- who only has the phone, or is another partner, ends no session of the owner
        AND is_unconfirmed = :isUnconfirmed
      ORDER BY created_at DESC, id DESC OFFSET ${MAX_OPEN_SESSIONS - 1})
  RETURNING id
), session AS (
  INSERT INTO onboarding.sessions (id, user_id, partner_id, device, is_unconfirmed, created_at, last_used_at, expires_at)
  VALUES (:sessionId, :userId, :partnerId, :device, :isUnconfirmed, ${NOW}, ${NOW}, ${NOW} + make_interval(secs => ${IDLE_SECONDS}))
  RETURNING id
), token AS (
  INSERT INTO onboarding.refresh_tokens (token_hash, session_id) SELECT :tokenHash, id FROM session
)
SELECT count(*)::int AS replaced FROM replaced`,
  { replaced: 'int4' },
);

const SECONDS_LEFT = `floor(extract(epoch FROM expires_at - ${NOW}))::int AS "secondsLeft"`;

/**
 * A presented refresh token with its session; locks both, so that a parallel end of the session commits first, and then no token is
 * issued. `secondsLeft`: until the session expires; `waitSeconds`: until the next refresh is allowed, 0 or less for now. Raw, because
 * it reads its own time, and decides by PostgreSQL's.
 */
export const LOCK_TOKEN = statement(
  { tokenHash: 'bytea', aheadSeconds: 'float8' },
  `SELECT t.session_id AS "sessionId", s.user_id AS "userId", (${IS_USABLE}) AS "isOpen",
          t.rotated_at IS NOT NULL AS "isRotated",
          -- the transaction may have waited for the lock: its own now() is earlier than the committed change
          coalesce(t.rotated_at > ${CLOCK_NOW} - make_interval(secs => ${REUSE_GRACE_SECONDS}), false) AS "isInGrace",
          coalesce(ceil(extract(epoch FROM s.refreshes_booked_until - ${CLOCK_NOW})
            - ${MAX_BOOKED_SECONDS - REFRESH_PACE_SECONDS}), 0)::int AS "waitSeconds",
          ${SECONDS_LEFT}
     FROM onboarding.refresh_tokens t JOIN onboarding.sessions s ON s.id = t.session_id
    WHERE t.token_hash = :tokenHash FOR UPDATE OF t, s`,
  {
    sessionId: 'uuid',
    userId: 'uuid',
    isOpen: 'bool',
    isRotated: 'bool',
    isInGrace: 'bool',
    waitSeconds: 'int4',
    secondsLeft: 'int4',
  },
);

/** Replaces a locked token, and prolongs its session. Raw: one statement for both tables, and PostgreSQL's time. */
export const ROTATE_TOKEN = statement(
  { sessionId: 'uuid', tokenHash: 'bytea', successorHash: 'bytea', aheadSeconds: 'float8' },
  `
WITH rotated AS (
  UPDATE onboarding.refresh_tokens SET rotated_at = ${NOW} WHERE token_hash = :tokenHash
), token AS (
  INSERT INTO onboarding.refresh_tokens (token_hash, session_id) VALUES (:successorHash, :sessionId)
)
UPDATE onboarding.sessions SET
  last_used_at = ${NOW},
  expires_at = least(${NOW} + make_interval(secs => ${IDLE_SECONDS}), created_at + make_interval(secs => ${MAX_SESSION_SECONDS})),
  refreshes_booked_until = greatest(refreshes_booked_until, ${NOW}) + make_interval(secs => ${REFRESH_PACE_SECONDS})
 WHERE id = :sessionId RETURNING ${SECONDS_LEFT}`,
  { secondsLeft: 'int4' },
);

/** Ends one or all open sessions of a user. Raw: PostgreSQL's time, ahead by as much as the service's. */
export const END_SESSIONS = statement(
  { userId: 'uuid', sessionId: 'uuid?', reason: 'text', aheadSeconds: 'float8' },
  `UPDATE onboarding.sessions SET ended_at = ${NOW}, end_reason = :reason
    WHERE user_id = :userId AND (:sessionId::uuid IS NULL OR id = :sessionId) AND ${isOpen(NOW)}`,
);

/** Limits the time for which sessions are locked. */
export const ENDED_AT_ONCE = 1_000;

/** Ends open sessions of a partner after the one with the id `last`, at most ENDED_AT_ONCE. */
export const END_SESSIONS_OF_PARTNER = statement(
  { partnerId: 'uuid', last: 'uuid?' },
  `UPDATE onboarding.sessions SET ended_at = now(), end_reason = 'PARTNER_DISABLED' WHERE id IN (
     SELECT id FROM onboarding.sessions
      WHERE partner_id = :partnerId AND (:last::uuid IS NULL OR id > :last) AND ${isOpen()}
      ORDER BY id LIMIT ${ENDED_AT_ONCE} FOR UPDATE)
   RETURNING id`,
  { id: 'uuid' },
);

/** Rows of each table in one DELETE, within the statement timeout. */
const PURGED_SESSIONS = 500;
const PURGED_TOKENS = 5_000;

/**
 * Deletes sessions that ended 30 days ago, with their tokens. Tokens go first, since one session may have thousands;
 * the session goes once its remaining tokens fit into the statement. Returns the number of deleted rows. The times are
 * constants, so that the planner knows how few rows match. Raw: one statement for both tables.
 */
export const PURGE_SESSIONS = statement(
  {},
  `
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
SELECT (SELECT count(*) FROM unknown)::int + (SELECT count(*) FROM ended)::int AS count`,
  { count: 'int4' },
);
