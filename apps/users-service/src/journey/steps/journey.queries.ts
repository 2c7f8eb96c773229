import { auditRow } from '../../core/index.js';

/**
 * Applies an event to a step, with its history and its audit event.
 * $1 user, $2 issuer or '', $3 step, $4 event, $5 what the event makes of each state (JSON), $6 reason,
 * $7 the only state that it applies to, $8 row of the audit trail; the last three may be null
 */
export const RECORD_STEP = `
-- parallel events of a step follow one another
WITH known AS (
  SELECT state, reason FROM onboarding.journey_steps
   WHERE user_id = $1 AND issuer_slug = $2 AND step = $3 FOR UPDATE
), made AS (
  INSERT INTO onboarding.journey_steps (user_id, issuer_slug, step, state, reason)
  SELECT $1, $2, $3, $5::jsonb ->> 'NOT_STARTED', $6 WHERE $7::text IS NULL AND NOT EXISTS (SELECT FROM known)
  ON CONFLICT DO NOTHING RETURNING 'NOT_STARTED' AS former, state
), moved AS (
  UPDATE onboarding.journey_steps s
     SET state = $5::jsonb ->> known.state, reason = $6, updated_at = now() FROM known
   WHERE s.user_id = $1 AND s.issuer_slug = $2 AND s.step = $3 AND ($7::text IS NULL OR known.state = $7)
     -- at the same state it may get another reason, except that what is done needs none
     AND (known.state <> $5::jsonb ->> known.state OR (known.state <> 'DONE' AND known.reason IS DISTINCT FROM $6))
  RETURNING known.state AS former, s.state
), changed AS (
  SELECT * FROM made WHERE state <> 'NOT_STARTED' UNION ALL SELECT * FROM moved
), history AS (
  -- its id is made behind the lock: the history is read in the order of ids
  INSERT INTO onboarding.journey_events (id, user_id, issuer_slug, step, event, from_state, to_state, reason)
  SELECT onboarding.uuid_v7(), $1, $2, $3, $4, former, state, $6 FROM changed
), there AS (
  SELECT 1 FROM known UNION ALL SELECT 1 FROM made
), audited AS (
  INSERT INTO onboarding.audit_unsealed
  SELECT e.* FROM ${auditRow('$8')} e WHERE $8 IS NOT NULL AND EXISTS (SELECT FROM there)
)
SELECT EXISTS (SELECT FROM there) AS "isThere",
       (SELECT state FROM changed WHERE state <> former) AS "newState"`;
