import { statement } from '@fd/platform';
import { statesAfter } from './journey.table.js';

/**
 * Limit for changes of one step by its user on one day (UTC): each is an event that is kept for years. Events from
 * providers and operators are always recorded; they have limits of their own.
 */
export const MAX_CHANGES_PER_DAY = 100;

/** PostgreSQL's day, so that replicas agree on it. */
const TODAY = "(clock_timestamp() AT TIME ZONE 'UTC')::date";
const SECONDS_TO_TOMORROW = `greatest(1, ceil(extract(epoch FROM
  ((${TODAY} + 1)::timestamp AT TIME ZONE 'UTC') - clock_timestamp())))::int`;
const CHANGES_TODAY = `CASE WHEN changed_on = ${TODAY} THEN changes ELSE 0 END`;

const KEY = 'user_id = :userId AND issuer_slug = :issuer AND step = :step';

// in the same state the reason may change, or another try end for the same reason, except when done or skipped
const IS_CHANGE = `(:onlyFrom::text[] IS NULL OR known.state = ANY (:onlyFrom::text[]))
     AND (known.state <> :states::jsonb ->> known.state
          OR (known.state NOT IN ('DONE', 'SKIPPED') AND (:isAnotherTry OR known.reason IS DISTINCT FROM :reason)))`;

/**
 * Applies an event to a step, with its history: one statement, because parallel events of a step must follow one another, and almost every
 * call makes one. `states`: the next state for each state; `onlyFrom`: the only states that it applies to; `isLimited`: whether
 * MAX_CHANGES_PER_DAY applies; then nothing is written. `isAnotherTry`: as in `StepChange`. `partnerId`: in whose app the user changes it,
 * if anywhere; it becomes the step's with its begin, not with a look at what was begun elsewhere. `through`: the partner of the try that
 * makes the change, if that is known; it becomes the step's in any case.
 */
export const CHANGE_STEP = statement(
  {
    userId: 'uuid',
    issuer: 'text',
    step: 'text',
    event: 'text',
    states: 'jsonb',
    reason: 'text?',
    onlyFrom: 'text[]?',
    isLimited: 'bool',
    isAnotherTry: 'bool',
    partnerId: 'uuid?',
    through: 'uuid?',
  },
  `
WITH known AS (
  SELECT state, reason, ${CHANGES_TODAY} AS changes FROM onboarding.journey_steps WHERE ${KEY} FOR UPDATE
), full_day AS (
  SELECT ${SECONDS_TO_TOMORROW} AS seconds FROM known
   WHERE :isLimited AND known.changes >= ${MAX_CHANGES_PER_DAY} AND ${IS_CHANGE}
), made AS (
  INSERT INTO onboarding.journey_steps (user_id, issuer_slug, step, state, reason, changes, changed_on, partner_id)
  SELECT :userId, :issuer, :step, :states::jsonb ->> 'NOT_STARTED', :reason, 1, ${TODAY}, coalesce(:through::uuid, :partnerId)
   WHERE :onlyFrom::text[] IS NULL AND NOT EXISTS (SELECT FROM known)
  ON CONFLICT DO NOTHING RETURNING 'NOT_STARTED' AS former, state, partner_id
), moved AS (
  UPDATE onboarding.journey_steps s
     SET state = :states::jsonb ->> known.state, reason = :reason, updated_at = now(),
         changes = known.changes + 1, changed_on = ${TODAY}, 
         partner_id = coalesce(:through::uuid, CASE WHEN s.partner_id IS NULL OR :event = 'STARTED' OR known.state IN ('NOT_STARTED', 'FAILED')
           THEN coalesce(:partnerId, s.partner_id) ELSE s.partner_id END) FROM known
   WHERE ${KEY} AND ${IS_CHANGE} AND NOT EXISTS (SELECT FROM full_day)
  RETURNING known.state AS former, s.state, s.partner_id
), begun_again AS (
  -- in the app of another partner, which alone is no change of the step
  UPDATE onboarding.journey_steps s SET partner_id = coalesce(:through::uuid, :partnerId) FROM known
   WHERE ${KEY} AND :event = 'STARTED' AND known.state = 'IN_PROGRESS' AND s.partner_id <> coalesce(:through::uuid, :partnerId)
     AND NOT (${IS_CHANGE})
), changed AS (
  SELECT * FROM made WHERE state <> 'NOT_STARTED' UNION ALL SELECT * FROM moved
), history AS (
  -- the id is created under the lock, because the history is read in the order of ids
  INSERT INTO onboarding.journey_events (id, user_id, issuer_slug, step, event, from_state, to_state, reason)
  SELECT onboarding.uuid_v7(), :userId, :issuer, :step, :event, former, state, :reason FROM changed
)
SELECT EXISTS (SELECT 1 FROM known UNION ALL SELECT 1 FROM made) AS "exists",
       c.former AS "formerState", c.state, c.partner_id AS "partnerId",
       (SELECT seconds FROM full_day) AS "waitSeconds"
  FROM (VALUES (1)) one LEFT JOIN changed c ON true`,
  {
    exists: 'bool',
    formerState: 'text?',
    state: 'text?',
    partnerId: 'uuid?',
    waitSeconds: 'int4?',
  },
);

/**
 * Completes a step of the user that has no other event. Cheaper than CHANGE_STEP, which locks the step: each login and profile runs it.
 * A row if the step was not complete before.
 */
export const COMPLETE_ONCE = statement(
  { userId: 'uuid', step: 'text', partnerId: 'uuid?' },
  `
WITH made AS (
  INSERT INTO onboarding.journey_steps (user_id, issuer_slug, step, state, partner_id)
  VALUES (:userId, '', :step, 'DONE', :partnerId)
  ON CONFLICT DO NOTHING RETURNING user_id
)
INSERT INTO onboarding.journey_events (id, user_id, issuer_slug, step, event, from_state, to_state)
SELECT onboarding.uuid_v7(), user_id, '', :step, 'COMPLETED', 'NOT_STARTED', 'DONE' FROM made RETURNING id`,
  { id: 'uuid' },
);

/** States that STARTED changes. */
const STARTABLE = Object.entries(statesAfter('STARTED')).flatMap(([from, to]) => (from === to ? [] : [from]));

/** The seconds until the user may start a step again, by the database's clock; no row: now. */
export const UNTIL_STARTABLE = statement(
  { userId: 'uuid', issuer: 'text', step: 'text' },
  `SELECT ${SECONDS_TO_TOMORROW} AS seconds FROM onboarding.journey_steps
    WHERE ${KEY} AND ${CHANGES_TODAY} >= ${MAX_CHANGES_PER_DAY} AND state IN ('${STARTABLE.join("', '")}')`,
  { seconds: 'int4' },
);
