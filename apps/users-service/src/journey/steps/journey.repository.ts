import { Inject, Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { GeneralErrors } from '@fd/errors';
import { commit, counterFromZero, type KnownCounter, pipelined, whenCommitted } from '@fd/platform';
import { Registry } from 'prom-client';
import { type EntityManager, In, IsNull, Not, type Repository } from 'typeorm';
import { JourneyConfig } from '../../config/index.js';
import { AuditTrail, partnerOfCaller } from '../../core/index.js';
import { type EventType, type NewPartnerEvent, PartnerEvents } from '../../events/index.js';
import { CHANGE_STEP, COMPLETE_ONCE, UNTIL_STARTABLE } from './journey.queries.js';
import { JourneyEvent } from './journey-event.entity.js';
import { JourneyStepRow } from './journey-step.entity.js';
import { eventsOf } from './step-events.js';
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
  /** The end of a try that no other change has begun: it counts, and is published, although the step has failed for the same reason before. */
  readonly isAnotherTry?: true;
  /** Through which the try was collected. Null: that of the step. Undefined: the caller's, if there is one, otherwise that of the step. */
  readonly partnerId?: string | null;
  /** For calls that record themselves, once a minute if repeated: without a change of the step nothing more is recorded. */
  readonly isAuditedIfChanged?: true;
}

/** An event about a step that does not change it. */
interface StepNews {
  readonly type: EventType;
  readonly userId: string;
  readonly step: Step;
  /** Slug. */
  readonly issuer?: string | undefined;
  readonly reasonCode?: string | undefined;
}

interface Collected {
  /** Slug; undefined for a step of the user, and before the user has chosen an issuer. */
  readonly issuerSlug?: string | undefined;
  /** If it is known; otherwise that of the step counts. */
  readonly partnerId?: string | null;
}

interface StepLabels extends Readonly<Record<string, string>> {
  readonly step: Step;
  readonly issuer: string;
  readonly state: StepState;
}

/** To which partner the events of a user go. Implemented by a domain above this one. */
export interface AccountPartners {
  /**
   * The partner through which something was collected; the one in whose app the account was begun, if none is known or the user shares the
   * account with it no longer. Null for a user without any.
   */
  partnerForEvents(tx: EntityManager, userId: string, through: string | null): Promise<string | null>;
}

export const ACCOUNT_PARTNERS = Symbol('partners of accounts');

/** What CHANGE_STEP has changed; all null for nothing. */
interface Changed {
  readonly formerState: string | null;
  readonly state: string | null;
  readonly partnerId: string | null;
}

/** What COMPLETE_ONCE changes. */
const DONE_ONCE = { formerState: 'NOT_STARTED', state: 'DONE' } as const;

/** Replaces the issuer in the keys of steps that a user does once for all issuers. */
const ALL_ISSUERS = '';

/** The steps of each user, with their history. */
@Injectable()
export class JourneyRepository {
  private readonly changes: KnownCounter<StepLabels>;

  constructor(
    @InjectRepository(JourneyStepRow) private readonly rows: Repository<JourneyStepRow>,
    private readonly audit: AuditTrail,
    private readonly events: PartnerEvents,
    @Inject(ACCOUNT_PARTNERS) private readonly accounts: AccountPartners,
    @Inject(JourneyConfig) config: Pick<JourneyConfig, 'issuers'>,
    registry: Registry,
  ) {
    this.changes = counterFromZero(registry, {
      name: 'journey_steps_total',
      help: 'Changes of journey steps by new state; the issuer is empty for steps that apply to all issuers',
      series: seriesOf(config),
    });
  }

  /**
   * Applies an event and records it, with its history, audit event, metric, and events for the partner. The row of the step is locked, so parallel events follow
   * one another.
   * @param tx the transaction of the change
   * @returns whether it has changed the step
   * @throws GeneralErrors.tooManyRequests for a limited change of a step that has changed too often today
   */
  async record(tx: EntityManager, change: StepChange): Promise<boolean> {
    const issuer = scopeOf(change);
    const values = valuesOf(change);
    // a refused change rolls its audit event back
    const isAlwaysAudited = !change.onlyFrom && !change.isAuditedIfChanged;
    const [[first]] = await pipelined([
      CHANGE_STEP.rows(tx, values),
      isAlwaysAudited ? this.recordAction(tx, change) : undefined,
    ]);
    // a parallel event has created the row after the statement looked for it, so the second try finds it
    const [changed] = first!.exists || change.onlyFrom ? [first] : await CHANGE_STEP.rows(tx, values);
    const { exists, waitSeconds } = changed!;
    if (waitSeconds !== null) throw GeneralErrors.tooManyRequests({ retryAfterSeconds: waitSeconds });
    if (!isAlwaysAudited && exists && (changed!.state !== null || !change.isAuditedIfChanged))
      await this.recordAction(tx, change);
    await this.publishStep(tx, change, changed!);
    if (changed!.state === null && change.isAnotherTry) await this.publishTry(tx, change);
    this.count(tx, change.step, issuer, changed!);
    return changed!.state !== null;
  }

  /**
   * As `record`, for an unconditional event that ends its transaction: COMMIT travels with it. No parallel event may create the row of
   * the step: the caller has locked the user, or the step has begun.
   */
  async recordAndCommit(
    tx: EntityManager,
    change: Omit<StepChange, 'onlyFrom' | 'isLimited' | 'isAnotherTry' | 'isAuditedIfChanged'>,
  ): Promise<void> {
    // an event depends on the answer, which has the partner of the step; a start has none
    const isReceiver = change.event !== 'STARTED' && this.events.mayListen;
    const [[changed]] = await pipelined([
      CHANGE_STEP.rows(tx, valuesOf(change)),
      this.recordAction(tx, change),
      isReceiver ? undefined : commit(tx),
    ]);
    if (!changed!.exists) throw new Error(`a parallel event has created the step ${change.step}`);
    if (isReceiver) {
      await this.publishStep(tx, change, changed!);
      await commit(tx);
    }
    this.count(tx, change.step, scopeOf(change), changed!);
  }

  /** As `record`, in a transaction of its own. */
  async recordNow(change: StepChange): Promise<void> {
    await this.rows.manager.transaction((tx) => this.record(tx, change));
  }

  /** Locks a step at issuers in the order in which a transaction changes them, before something that decides about it is read. */
  async lock(tx: EntityManager, userId: string, step: Step, issuers: readonly string[]): Promise<void> {
    for (const issuerSlug of [...issuers].sort()) {
      const lock = { mode: 'pessimistic_write' } as const;
      await tx.findOne(JourneyStepRow, { where: { userId, step, issuerSlug }, lock });
    }
  }

  /** The begun ones of some steps, in the order in which a transaction changes them. */
  async begunSteps(
    tx: EntityManager,
    userId: string,
    steps: readonly Step[],
  ): Promise<{ step: Step; issuer: string }[]> {
    const begun = await tx.find(JourneyStepRow, {
      select: { step: true, issuerSlug: true },
      where: { userId, step: In([...steps]), state: Not('NOT_STARTED') },
      order: { step: 'ASC', issuerSlug: 'ASC' },
    });
    return begun.map(({ step, issuerSlug: issuer }) => ({ step, issuer }));
  }

  /** The issuers, by slug, at which some users have begun steps. In one order, so that rows that follow from them are locked in it. */
  async begunIssuers(
    tx: EntityManager,
    users: readonly string[],
  ): Promise<{ userId: string; issuer: string }[]> {
    return (
      tx
        .createQueryBuilder(JourneyStepRow, 's')
        .select('s.userId', 'userId')
        .addSelect('s.issuerSlug', 'issuer')
        .distinct()
        // one parameter for all: a batch of events has hundreds
        .where('s.userId = ANY(:users)', { users })
        .andWhere('s.issuerSlug <> :none', { none: ALL_ISSUERS })
        .orderBy('s.userId')
        .addOrderBy('s.issuerSlug')
        .getRawMany<{ userId: string; issuer: string }>()
    );
  }

  /**
   * Begins the journey of a new user, whose login is a done step, and publishes it after EVENTS, in one statement. Depends on no answer, so
   * COMMIT may travel with it.
   */
  async begin(tx: EntityManager, userId: string, events: readonly NewPartnerEvent[]): Promise<void> {
    const partnerId = partnerOfCaller(userId);
    const login = { userId, step: 'LOGIN' } as const;
    const done = { ...login, type: 'journey.step.completed', status: 'DONE' } as const;
    await pipelined([
      COMPLETE_ONCE.rows(tx, { ...login, partnerId }),
      this.events.addOfNew(tx, ...events, ...(partnerId ? [{ ...done, partnerId }] : [])),
    ]);
    this.count(tx, 'LOGIN', ALL_ISSUERS, { ...DONE_ONCE, partnerId });
  }

  /** Completes a step that has no other event, without an audit event. */
  async completeOnce(tx: EntityManager, userId: string, step: 'LOGIN' | 'HOME'): Promise<void> {
    const partnerId = partnerOfCaller(userId);
    const made = await COMPLETE_ONCE.rows(tx, { userId, step, partnerId });
    if (made.length === 0) return;
    await this.publishStep(tx, { userId, step, event: 'COMPLETED' }, { ...DONE_ONCE, partnerId });
    this.count(tx, step, ALL_ISSUERS, { ...DONE_ONCE, partnerId });
  }

  /**
   * Refuses work that ends with a limited STARTED of a step, before the work has an effect. Allows it in states that STARTED does not
   * change.
   * @throws GeneralErrors.tooManyRequests if the step has changed too often today
   */
  async requireStartable(userId: string, step: Step, issuer: string): Promise<void> {
    const retryAfterSeconds = await this.secondsUntilStartable(this.rows.manager, userId, step, issuer);
    if (retryAfterSeconds > 0) throw GeneralErrors.tooManyRequests({ retryAfterSeconds });
  }

  /** 0: now. */
  async secondsUntilStartable(
    tx: EntityManager,
    userId: string,
    step: Step,
    issuer = ALL_ISSUERS,
  ): Promise<number> {
    const [full] = await UNTIL_STARTABLE.rows(tx, { userId, issuer, step });
    return full?.seconds ?? 0;
  }

  /** Once it is committed: a repeat after a rollback changes the step again. */
  private count(tx: EntityManager, step: Step, issuer: string, { formerState, state }: Changed): void {
    if (state === null || state === formerState) return;
    whenCommitted(tx, () => this.changes.inc({ step, issuer, state: state as StepState }));
  }

  /** Adds the events of a change for the partner through which the step was collected. */
  private async publishStep(tx: EntityManager, change: StepChange, changed: Changed): Promise<void> {
    // not of the step's partner alone: without sharing it is for another one
    if (changed.state === null || !this.events.mayListen) return;
    const types = eventsOf(change.step, {
      from: changed.formerState as StepState,
      to: changed.state as StepState,
      reason: change.reason ?? null,
    });
    if (types.length === 0) return;
    const { userId, step, reason: reasonCode = null } = change;
    const partnerId = await this.accounts.partnerForEvents(tx, userId, changed.partnerId);
    if (partnerId === null) return;
    const issuer = scopeOf(change) || undefined;
    const about = { partnerId, userId, issuer, step, status: changed.state, reasonCode };
    await this.events.add(tx, ...types.map((type) => ({ type, ...about })));
  }

  /** Adds the event of a try that has ended without a change of its step, which another try has completed. */
  private async publishTry(tx: EntityManager, change: StepChange): Promise<void> {
    const { userId, step, event, issuer, reason, partnerId = partnerOfCaller(userId) } = change;
    const to = statesAfter(event).NOT_STARTED;
    const types = eventsOf(step, { from: 'NOT_STARTED', to, reason: reason ?? null });
    for (const type of types.filter((each) => !each.startsWith('journey.')))
      await this.publish(tx, { type, userId, step, issuer, reasonCode: reason }, [
        { issuerSlug: issuer, partnerId },
      ]);
  }

  /** Returns the states of the user's own steps and, if given, of an issuer's steps. */
  async statesOf(userId: string, issuer = ALL_ISSUERS): Promise<StepStates> {
    const rows = await this.rows.find({
      select: { step: true, state: true, reason: true },
      where: { userId, issuerSlug: In([ALL_ISSUERS, issuer]) },
    });
    const remembered = rows.map(({ step, state, reason }) => [step, { state, reason }] as const);
    // every user has logged in, but users from before the journey have no row for it
    return { LOGIN: { state: 'DONE', reason: null }, ...Object.fromEntries(remembered) };
  }

  /** Whether `publish` may add anything; false spares the work. */
  get mayPublish(): boolean {
    return this.events.mayListen;
  }

  /**
   * Adds an event about a step that does not change it, once for each partner through which it was collected. Without an issuer and a
   * partner that is the partner of the step that has changed last.
   */
  async publish(
    tx: EntityManager,
    event: StepNews,
    collected: readonly Collected[] = [{ issuerSlug: event.issuer }],
  ): Promise<void> {
    if (!this.mayPublish) return;
    const { userId, step } = event;
    const partners = new Set<string | null>();
    for (const at of collected) partners.add(await this.partnerOf(tx, userId, { step, ...at }));
    const known = [...partners].filter((partnerId) => partnerId !== null);
    await this.events.add(tx, ...known.map((partnerId) => ({ ...event, partnerId })));
  }

  /** The partner through which something of a step was collected; null if it is not known. */
  async partnerOf(
    tx: EntityManager,
    userId: string,
    { step, issuerSlug, partnerId = null }: Collected & { readonly step: Step },
  ): Promise<string | null> {
    if (partnerId !== null) return this.accounts.partnerForEvents(tx, userId, partnerId);
    const where = { userId, step, ...(issuerSlug !== undefined && { issuerSlug }), partnerId: Not(IsNull()) };
    const last = await tx.findOne(JourneyStepRow, { where, order: { updatedAt: 'DESC' } });
    return this.accounts.partnerForEvents(tx, userId, last?.partnerId ?? null);
  }

  /** Whether a user has ever completed a step of all issuers, also if it was reset since. */
  async hadDone(tx: EntityManager, userId: string, step: Step): Promise<boolean> {
    return tx.existsBy(JourneyEvent, { userId, issuerSlug: ALL_ISSUERS, step, toState: 'DONE' });
  }

  /** All steps of a user, for operators. */
  async stepsOf(userId: string): Promise<JourneyStepRow[]> {
    const order = { issuerSlug: 'ASC', updatedAt: 'ASC', step: 'ASC' } as const;
    return this.rows.find({ where: { userId }, order });
  }

  /** Records the action of an event even if the state stays the same, unless its call does: an address may be verified again. */
  private async recordAction(tx: EntityManager, change: StepChange): Promise<void> {
    const { userId: subject, step, event, issuer, reason, object } = change;
    const action = STEP_ACTIONS[step]?.[event];
    // what a started step waits for is no refusal
    const code = event === 'STARTED' ? undefined : reason;
    const outcome = event === 'FAILED' ? 'REFUSED' : 'OK';
    if (action) await this.audit.record(tx, { action, subject, outcome, code, issuer, object });
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

function valuesOf(change: StepChange) {
  const { userId, step, event, reason = null, onlyFrom = null, partnerId: through = null } = change;
  const { isLimited = false, isAnotherTry = false } = change;
  const states = JSON.stringify(statesAfter(event));
  const partnerId = change.partnerId === null ? null : partnerOfCaller(userId);
  const which = { userId, issuer: scopeOf(change), step, event, states, reason, onlyFrom };
  return { ...which, isLimited, isAnotherTry, partnerId, through };
}

function scopeOf({ step, issuer }: Pick<StepChange, 'step' | 'issuer'>): string {
  if (STEP_RULES[step].scope === 'user') return ALL_ISSUERS;
  if (issuer === undefined) throw new Error(`${step} is a step of an issuer, and none was named`);
  return issuer;
}
