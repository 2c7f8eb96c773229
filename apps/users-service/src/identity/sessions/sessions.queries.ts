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
export const isUsable = (now: string): string => `${isOpen(now)} AND EXISTS (
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
