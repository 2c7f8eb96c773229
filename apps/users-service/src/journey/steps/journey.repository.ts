import { Injectable } from '@nestjs/common';
import { Database, pipelined, type Queryable, type Transaction } from '@fd/platform';
import { Counter, Registry } from 'prom-client';
import { v7 as uuidv7 } from 'uuid';
import { AuditTrail } from '../../core/index.js';
import {
  stateAfter,
  type Step,
  STEP_ACTIONS,
  STEP_RULES,
  type StepEvent,
  type StepState,
  type StepStates,
} from './journey.table.js';

/** Something that happened to a step. */
export interface StepChange {
  readonly userId: string;
  readonly step: Step;
  readonly event: StepEvent;
  /** Slug; needed for a step that each issuer has of its own. */
  readonly issuer?: string;
  /** Stable token of why, such as an error code; never personal data. */
  readonly reason?: string;
  /** Id of the record that it is about, for the audit trail. */
  readonly object?: string;
  /** The only state that a RESET applies to, read once the row of the step is locked. */
  readonly onlyFrom?: Exclude<StepState, 'NOT_STARTED'>;
}

interface StateBefore {
  readonly state: StepState;
  readonly reason: string | null;
  /** Whether there was no row: the event has been applied to it then. */
  readonly isNew: boolean;
}

/** Stands for "all issuers" in the keys of steps that a user does once. */
const ALL_ISSUERS = '';

/** The steps of each user, and the history of how they came to be as they are. */
@Injectable()
export class JourneyRepository {
  private readonly changes: Counter<'step' | 'issuer' | 'state'>;

  constructor(
    private readonly database: Database,
    private readonly audit: AuditTrail,
    registry: Registry,
  ) {
    this.changes = new Counter({
      name: 'journey_steps_total',
      help: 'Steps of journeys that got into a state; the issuer is empty for steps that are done once for all issuers',
      labelNames: ['step', 'issuer', 'state'],
      registers: [registry],
    });
  }

  /**
   * Applies an event and records it, with its audit event. The row of the step is locked, so parallel events follow
   * one another.
   * @param transaction of the transaction that made it happen; a transaction of its own without one
   */
  async record(change: StepChange, transaction?: Transaction): Promise<void> {
    if (!transaction) return this.database.transaction((own) => this.record(change, own));
    const [, found] = await pipelined([this.audited(transaction, change), this.begin(transaction, change)]);
    const { event, reason = null, onlyFrom } = change;
    if (onlyFrom && found?.state !== onlyFrom) return;
    // a parallel event has made the row in between: now it is there
    const before = found ?? (await this.begin(transaction, change))!;
    const state = stateAfter(before.state, event);
    if (state === before.state && (reason === before.reason || state === 'DONE')) return;
    if (!before.isNew) await this.move(transaction, change, before.state);
    // at the same state it has another reason only
    if (state === before.state) return;
    this.changes.inc({ step: change.step, issuer: scopeOf(change), state });
  }

  /** What is remembered of the user's own steps and, if one is named, of an issuer's. */
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
    // a known user has logged in even where no row says so: users are older than the journey
    return { LOGIN: { state: 'DONE', reason: null }, ...Object.fromEntries(remembered) };
  }

  /** Remembers with which issuer a user dealt last. */
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

  /**
   * Locks the row of a step, or makes it, with its first event applied and written down, if the step has none.
   * @returns the state before the event; undefined when a parallel event was faster
   */
  private async begin(transaction: Transaction, change: StepChange): Promise<StateBefore | undefined> {
    const { userId, step, event, reason = null, onlyFrom } = change;
    const [before] = await transaction.query<StateBefore[]>(
      `WITH known AS (
         SELECT state, reason FROM onboarding.journey_steps
          WHERE user_id = $1 AND issuer_slug = $2 AND step = $3 FOR UPDATE
       ), made AS (
         INSERT INTO onboarding.journey_steps (user_id, issuer_slug, step, state, reason)
         SELECT $1, $2, $3, $6, $7 WHERE NOT $8 AND NOT EXISTS (SELECT FROM known)
         ON CONFLICT DO NOTHING RETURNING state
       ), told AS (
         INSERT INTO onboarding.journey_events (id, user_id, issuer_slug, step, event, from_state, to_state, reason)
         SELECT $4, $1, $2, $3, $5, 'NOT_STARTED', state, $7 FROM made WHERE state <> 'NOT_STARTED'
       )
       SELECT state, reason, false AS "isNew" FROM known
       UNION ALL SELECT 'NOT_STARTED', NULL, true FROM made`,
      [
        userId,
        scopeOf(change),
        step,
        uuidv7(),
        event,
        stateAfter('NOT_STARTED', event),
        reason,
        onlyFrom !== undefined,
      ],
    );
    return before;
  }

  /** Its id is made behind the lock: the history is read in the order of ids. */
  private async move(transaction: Transaction, change: StepChange, from: StepState): Promise<void> {
    const { userId, step, event, reason = null } = change;
    await transaction.query(
      `WITH moved AS (
         UPDATE onboarding.journey_steps SET state = $7, reason = $8, updated_at = now()
          WHERE user_id = $1 AND issuer_slug = $2 AND step = $3
       )
       INSERT INTO onboarding.journey_events (id, user_id, issuer_slug, step, event, from_state, to_state, reason)
       VALUES ($4, $1, $2, $3, $5, $6, $7, $8)`,
      [userId, scopeOf(change), step, uuidv7(), event, from, stateAfter(from, event), reason],
    );
  }

  /** Records what happens to a person's data even when the step stays as it is: an address may be verified again. */
  private async audited(transaction: Transaction, change: StepChange): Promise<void> {
    const { userId: subject, step, event, issuer, reason: code, object } = change;
    const action = STEP_ACTIONS[step]?.[event];
    if (!action) return;
    const outcome = event === 'FAILED' ? 'REFUSED' : 'OK';
    await this.audit.record(transaction, { action, subject, outcome, code, issuer, object });
  }
}

function scopeOf({ step, issuer }: Pick<StepChange, 'step' | 'issuer'>): string {
  if (STEP_RULES[step].scope === 'user') return ALL_ISSUERS;
  if (issuer === undefined) throw new Error(`${step} is a step of an issuer, and none was named`);
  return issuer;
}
