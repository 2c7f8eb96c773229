import { Inject, Injectable } from '@nestjs/common';
import { GeneralErrors } from '@fd/errors';
import { counterFromZero, Database, type KnownCounter, type Queryable } from '@fd/platform';
import { Registry } from 'prom-client';
import { JourneyConfig } from '../../config/index.js';
import { AuditTrail } from '../../core/index.js';
import { RECORD_STEP } from './journey.queries.js';
import {
  statesAfter,
  type Step,
  STEP_ACTIONS,
  STEP_RULES,
  STEP_STATES,
  type StepEvent,
  type StepState,
  type StepStates,
  STEPS,
} from './journey.table.js';

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
  /** The only state that a RESET applies to, read once the row of the step is locked. */
  readonly onlyFrom?: Exclude<StepState, 'NOT_STARTED'>;
  /** For repeatable actions: refused after MAX_CHANGES_PER_DAY changes of the step. */
  readonly isLimited?: true;
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
    const { userId, step, event, reason = null, onlyFrom = null, isLimited = false } = change;
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
    ]);
    if (recorded.waitSeconds !== null)
      throw GeneralErrors.tooManyRequests({ retryAfterSeconds: recorded.waitSeconds });
    // a parallel event has created the row, so the second try finds it
    if (!recorded.exists && !onlyFrom) return this.record(change, connection);
    if (recorded.newState) this.noteState({ step, issuer, state: recorded.newState });
  }

  /** Counts a new state of a step in the metrics. @param change with an empty issuer for a step of all issuers */
  noteState(change: StepLabels): void {
    this.changes.inc(change);
  }

  /** Returns the states of the user's own steps and, if given, of an issuer's steps. */
  async statesOf(
    userId: string,
    { issuer, connection = this.database }: { issuer?: string | undefined; connection?: Queryable } = {},
  ): Promise<StepStates> {
    const rows = await connection.query<{ step: Step; state: StepState; reason: string | null }[]>(
      `SELECT step, state, reason FROM onboarding.journey_steps
        WHERE user_id = $1 AND issuer_slug IN ($2, $3)`,
      [userId, ALL_ISSUERS, issuer ?? ALL_ISSUERS],
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

  /** Records the event even if the state stays the same: an address may be verified again. */
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
