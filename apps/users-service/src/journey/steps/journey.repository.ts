import { Inject, Injectable } from '@nestjs/common';
import { GeneralErrors } from '@fd/errors';
import { counterFromZero, Database, type KnownCounter, type Queryable } from '@fd/platform';
import { Registry } from 'prom-client';
import { JourneyConfig } from '../../config/index.js';
import { auditRow, AuditTrail } from '../../core/index.js';
import {
  statesAfter,
  type Step,
  STEP_ACTIONS,
  STEP_RULES,
  STEP_STATES,
  type StepEvent,
  STEPS,
  type StepState,
  type StepStates,
} from './journey.table.js';

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
  /** The only states that the event applies to, an array, or NULL. */
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

/** States that STARTED changes. */
const STARTABLE = Object.entries(statesAfter('STARTED')).flatMap(([from, to]) => (from === to ? [] : [from]));

/**
 * Selects the `seconds` until the user may change the step again; no row: now.
 * @param issuer SQL of the slug, for a step of an issuer
 */
export const fullStep = (user: string, step: Step, issuer = `''`): string => `
  SELECT ${SECONDS_TO_TOMORROW} AS seconds FROM onboarding.journey_steps
   WHERE user_id = ${user} AND issuer_slug = ${issuer} AND step = '${step}' AND ${CHANGES_TODAY} >= ${MAX_CHANGES_PER_DAY}`;

/**
 * Applies an event to a step and writes its history, as CTEs: `step_known` (the state before), `step_made` (the first row
 * of the step), `step_full` (`seconds` until it may change again) and `step_changed` (`former` and `state`, if the state
 * or its reason changed).
 */
function changeStep(expressions: StepExpressions): string {
  const { user, issuer, step, event, states, reason, onlyFrom, isLimited, when } = expressions;
  const key = `user_id = ${user} AND issuer_slug = ${issuer} AND step = ${step}`;
  // in the same state the reason may change, except when done
  const isChange = `(${onlyFrom}::text[] IS NULL OR known.state = ANY (${onlyFrom}::text[]))
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
   WHERE ${when} AND ${onlyFrom}::text[] IS NULL AND NOT EXISTS (SELECT FROM step_known)
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
 * $7 the only states that it applies to, $8 row of the audit trail; the last three may be null;
 * $9 whether the daily limit of changes applies; over the limit nothing is written;
 * $10 whether an event that changes nothing is not recorded
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
  SELECT e.* FROM ${auditRow('$8')} e
   WHERE $8 IS NOT NULL AND EXISTS (SELECT FROM step_row) AND NOT EXISTS (SELECT FROM step_full)
     AND (NOT $10::boolean OR EXISTS (SELECT FROM step_changed))
)
SELECT EXISTS (SELECT FROM step_row) AS "exists", ${NEW_STATE} AS "newState",
       (SELECT seconds FROM step_full) AS "waitSeconds"`;

/** An event of a step. */
export interface StepChange {
  readonly userId: string;
  readonly step: Step;
  readonly event: StepEvent;
  /** Slug; required for a step per issuer. */
  readonly issuer?: string;
  /** Stable token for the cause, such as an error code; never personal data. */
  readonly reason?: string;
  /** Id of the record that the event concerns, for the audit trail. */
  readonly object?: string;
  /** The only states that the event applies to, read once the row of the step is locked. */
  readonly onlyFrom?: readonly Exclude<StepState, 'NOT_STARTED'>[];
  /** For repeatable actions: refused after MAX_CHANGES_PER_DAY changes of the step. */
  readonly isLimited?: true;
  /** For calls that record themselves, once a minute if repeated: without a change of the step nothing more is recorded. */
  readonly isAuditedIfChanged?: true;
}

interface RecordedChange {
  /** False if a parallel event has created the row of the step after the statement looked for it. */
  readonly exists: boolean;
  /** Null if the step stays in its state. */
  readonly newState: StepState | null;
  /** Null unless the change is refused. */
  readonly waitSeconds: number | null;
}

interface StepLabels extends Readonly<Record<string, string>> {
  readonly step: Step;
  readonly issuer: string;
  readonly state: StepState;
}

/** Replaces the issuer in the keys of steps that a user does once for all issuers. */
const ALL_ISSUERS = '';

/** The steps of each user, with their history. */
@Injectable()
export class JourneyRepository {
  private readonly changes: KnownCounter<StepLabels>;

  constructor(
    private readonly database: Database,
    private readonly audit: AuditTrail,
    @Inject(JourneyConfig) config: Pick<JourneyConfig, 'issuers'>,
    registry: Registry,
  ) {
    this.changes = counterFromZero({
      name: 'journey_steps_total',
      help: 'Changes of journey steps by new state; the issuer is empty for steps that apply to all issuers',
      labelNames: ['step', 'issuer', 'state'],
      series: seriesOf(config),
      registers: [registry],
    });
  }

  /**
   * Applies an event and records it, with its audit event. The row of the step is locked, so parallel events follow
   * one another.
   * @param connection the transaction of the change; without one the event is recorded alone
   * @throws GeneralErrors.tooManyRequests for a limited change of a step that has changed too often today
   */
  async record(change: StepChange, connection: Queryable = this.database): Promise<void> {
    const { userId, step, event, reason = null, onlyFrom = null } = change;
    const { isLimited = false, isAuditedIfChanged = false } = change;
    const issuer = scopeOf(change);
    const [recorded] = await connection.query<[RecordedChange]>(RECORD_STEP, [
      userId,
      issuer,
      step,
      event,
      JSON.stringify(statesAfter(event)),
      reason,
      onlyFrom,
      this.auditRowOf(change),
      isLimited,
      isAuditedIfChanged,
    ]);
    if (recorded.waitSeconds !== null)
      throw GeneralErrors.tooManyRequests({ retryAfterSeconds: recorded.waitSeconds });
    // a parallel event has created the row, so the second try finds it
    if (!recorded.exists && !onlyFrom) return this.record(change, connection);
    this.noteState(step, recorded.newState, connection, issuer);
  }

  /**
   * Refuses work that ends with a limited STARTED of an issuer's step, before the work has an effect. Allows it in states
   * that STARTED does not change.
   * @throws GeneralErrors.tooManyRequests if the step has changed too often today
   */
  async requireStartable(userId: string, step: Step, issuer: string): Promise<void> {
    const [full] = await this.database.query<{ seconds: number }[]>(
      `${fullStep('$1', step, '$2')} AND state = ANY ($3)`,
      [userId, issuer, STARTABLE],
    );
    if (full) throw GeneralErrors.tooManyRequests({ retryAfterSeconds: full.seconds });
  }

  /**
   * Counts a new state of a step, if any, in the metrics.
   * @param connection of the change, which counts once it is committed: a repeat after a rollback changes the step again
   */
  noteState(
    step: Step,
    state: StepState | null,
    connection: Queryable = this.database,
    issuer = ALL_ISSUERS,
  ): void {
    if (state) connection.whenCommitted(() => this.changes.inc({ step, issuer, state }));
  }

  /** Returns the states of the user's own steps and, if given, of an issuer's steps. */
  async statesOf(userId: string, issuer = ALL_ISSUERS): Promise<StepStates> {
    const rows = await this.database.query<{ step: Step; state: StepState; reason: string | null }[]>(
      `SELECT step, state, reason FROM onboarding.journey_steps
        WHERE user_id = $1 AND issuer_slug IN ($2, $3)`,
      [userId, ALL_ISSUERS, issuer],
    );
    const remembered = rows.map(({ step, state, reason }) => [step, { state, reason }] as const);
    // every user has logged in, but users from before the journey have no row for it
    return { LOGIN: { state: 'DONE', reason: null }, ...Object.fromEntries(remembered) };
  }

  /** Stores the user's last issuer. */
  async noteIssuer(userId: string, issuer: string): Promise<void> {
    await this.database.query(
      'UPDATE onboarding.users SET last_issuer_slug = $2 WHERE id = $1 AND last_issuer_slug IS DISTINCT FROM $2',
      [userId, issuer],
    );
  }

  async lastIssuer(userId: string): Promise<string | undefined> {
    const [row] = await this.database.query<{ last_issuer_slug: string | null }[]>(
      'SELECT last_issuer_slug FROM onboarding.users WHERE id = $1',
      [userId],
    );
    return row?.last_issuer_slug ?? undefined;
  }

  /** Records the event even if the state stays the same, unless its call does: an address may be verified again. */
  private auditRowOf(change: StepChange): string | null {
    const { userId: subject, step, event, issuer, reason: code, object } = change;
    const action = STEP_ACTIONS[step]?.[event];
    const outcome = event === 'FAILED' ? 'REFUSED' : 'OK';
    return action ? this.audit.rowOf({ action, subject, outcome, code, issuer, object }) : null;
  }
}

/** The metric series: steps of the user, and those of each issuer's journey, in every state. */
function seriesOf({ issuers }: Pick<JourneyConfig, 'issuers'>): StepLabels[] {
  const ofUser = STEPS.map((step) => ({ step, issuer: ALL_ISSUERS }));
  const ofIssuers = issuers.flatMap(({ slug: issuer, steps }) => steps.map((step) => ({ step, issuer })));
  return [
    ...ofUser.filter(({ step }) => STEP_RULES[step].scope === 'user'),
    ...ofIssuers.filter(({ step }) => STEP_RULES[step].scope === 'issuer'),
  ].flatMap((labels) => STEP_STATES.map((state) => ({ ...labels, state })));
}

function scopeOf({ step, issuer }: Pick<StepChange, 'step' | 'issuer'>): string {
  if (STEP_RULES[step].scope === 'user') return ALL_ISSUERS;
  if (issuer === undefined) throw new Error(`${step} is a step of an issuer, and none was named`);
  return issuer;
}
