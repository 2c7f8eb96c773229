import { auditRow } from '../../core/index.js';
import { statesAfter, type Step, type StepEvent } from './journey.table.js';

/** The parts of a change of a step, each an SQL expression. */
interface StepExpressions {
  readonly user: string;
  /** '' for a step that is done once for all issuers. */
  readonly issuer: string;
  readonly step: string;
  readonly event: string;
  /** The next state for each state, as JSON. */
  readonly states: string;
  readonly reason: string;
  /** The only state that the event applies to, or NULL. */
  readonly onlyFrom: string;
  /** Whether the change is refused once the step has changed too often today. */
  readonly isLimited: string;
  /** A precondition of the change. */
  readonly when: string;
}

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

/** Selects the `seconds` until the user may change the step again; no row: now. */
export const fullStep = (user: string, step: Step): string => `
  SELECT ${SECONDS_TO_TOMORROW} AS seconds FROM onboarding.journey_steps
   WHERE user_id = ${user} AND issuer_slug = '' AND step = '${step}' AND ${CHANGES_TODAY} >= ${MAX_CHANGES_PER_DAY}`;

/**
 * Applies an event to a step and writes its history, as CTEs: `step_known` (the state before), `step_made` (the first row
 * of the step), `step_full` (`seconds` until it may change again) and `step_changed` (`former` and `state`, if the state
 * or its reason changed).
 */
function changeStep(expressions: StepExpressions): string {
  const { user, issuer, step, event, states, reason, onlyFrom, isLimited, when } = expressions;
  const key = `user_id = ${user} AND issuer_slug = ${issuer} AND step = ${step}`;
  // in the same state the reason may change, except when done
  const isChange = `(${onlyFrom}::text IS NULL OR known.state = ${onlyFrom})
     AND (known.state <> ${states}::jsonb ->> known.state
          OR (known.state <> 'DONE' AND known.reason IS DISTINCT FROM ${reason}))`;
  return `
step_known AS (
  -- parallel events of a step follow one another
  SELECT state, reason, ${CHANGES_TODAY} AS changes FROM onboarding.journey_steps WHERE ${when} AND ${key} FOR UPDATE
), step_full AS (
  SELECT ${SECONDS_TO_TOMORROW} AS seconds FROM step_known known
   WHERE ${isLimited} AND known.changes >= ${MAX_CHANGES_PER_DAY} AND ${isChange}
), step_made AS (
  INSERT INTO onboarding.journey_steps (user_id, issuer_slug, step, state, reason, changes, changed_on)
  SELECT ${user}, ${issuer}, ${step}, ${states}::jsonb ->> 'NOT_STARTED', ${reason}, 1, ${TODAY}
   WHERE ${when} AND ${onlyFrom}::text IS NULL AND NOT EXISTS (SELECT FROM step_known)
  ON CONFLICT DO NOTHING RETURNING 'NOT_STARTED' AS former, state
), step_moved AS (
  UPDATE onboarding.journey_steps s
     SET state = ${states}::jsonb ->> known.state, reason = ${reason}, updated_at = now(),
         changes = known.changes + 1, changed_on = ${TODAY} FROM step_known known
   WHERE ${key} AND ${isChange} AND NOT EXISTS (SELECT FROM step_full)
  RETURNING known.state AS former, s.state
), step_changed AS (
  SELECT * FROM step_made WHERE state <> 'NOT_STARTED' UNION ALL SELECT * FROM step_moved
), step_history AS (
  -- the id is created under the lock, because the history is read in the order of ids
  INSERT INTO onboarding.journey_events (id, user_id, issuer_slug, step, event, from_state, to_state, reason)
  SELECT onboarding.uuid_v7(), ${user}, ${issuer}, ${step}, ${event}, former, state, ${reason} FROM step_changed
)`;
}

/** As `changeStep`, for a fixed step and event. */
export const applyEvent = (
  user: string,
  step: Step,
  event: StepEvent,
  when: string,
  reason = 'NULL::text',
): string =>
  changeStep({
    user,
    issuer: `''`,
    step: `'${step}'`,
    event: `'${event}'`,
    states: `'${JSON.stringify(statesAfter(event))}'`,
    reason,
    onlyFrom: 'NULL',
    isLimited: 'false',
    when,
  });

/**
 * Completes a step of the user that has no other event. Cheaper than `applyEvent`, which locks the step. The CTE `step`
 * returns a row if the step was not complete before.
 * @param from the CTE that must return a row for the change to happen
 */
export const completeOnce = (user: string, step: 'LOGIN' | 'HOME', from: string): string => `
step AS (
  INSERT INTO onboarding.journey_steps (user_id, issuer_slug, step, state)
  SELECT ${user}, '', '${step}', 'DONE' FROM ${from}
  ON CONFLICT DO NOTHING RETURNING user_id
), history AS (
  INSERT INTO onboarding.journey_events (id, user_id, issuer_slug, step, event, from_state, to_state)
  SELECT onboarding.uuid_v7(), user_id, '', '${step}', 'COMPLETED', 'NOT_STARTED', 'DONE' FROM step
)`;

/** The new state after `changeStep`; null if the step stays in its state. */
export const NEW_STATE = '(SELECT state FROM step_changed WHERE state <> former)';

/**
 * Applies any event to a step, with its audit event.
 * $1 user, $2 issuer or '', $3 step, $4 event, $5 next state for each state, $6 reason,
 * $7 the only state that it applies to, $8 row of the audit trail; the last three may be null;
 * $9 whether the daily limit of changes applies; over the limit nothing is written
 */
export const RECORD_STEP = `
WITH ${changeStep({
  user: '$1',
  issuer: '$2',
  step: '$3',
  event: '$4',
  states: '$5',
  reason: '$6',
  onlyFrom: '$7',
  isLimited: '$9::boolean',
  when: 'true',
})}, step_row AS (
  SELECT 1 FROM step_known UNION ALL SELECT 1 FROM step_made
), audited AS (
  INSERT INTO onboarding.audit_unsealed
  SELECT e.* FROM ${auditRow('$8')} e WHERE $8 IS NOT NULL AND EXISTS (SELECT FROM step_row) AND NOT EXISTS (SELECT FROM step_full)
)
SELECT EXISTS (SELECT FROM step_row) AS "exists", ${NEW_STATE} AS "newState",
       (SELECT seconds FROM step_full) AS "waitSeconds"`;
