import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { timeLimit } from '@fd/envelope';
import { ProviderError } from '@fd/errors';
import { Clock, counterFromZero, type KnownCounter, whenCommitted } from '@fd/platform';
import { Gauge, Registry } from 'prom-client';
import { type EntityManager, IsNull, type Repository } from 'typeorm';
import { JourneyConfig } from '../../config/index.js';
import {
  actingAs,
  callKind,
  DUE,
  type DurableCall,
  DurableCalls,
  Jobs,
  PiiCipher,
  type ProviderAnswer,
  RELEASED,
  SETTLED,
  settledWith,
} from '../../core/index.js';
import { EventLog, OLD_EVENTS } from '../outbox/event-log.repository.js';
import { AddressRefused, EventSender } from './event-sender.js';
import { signedHeaders } from './event-signatures.js';
import { EventSubscription } from '../subscriptions/event-subscription.entity.js';
import { viewOf } from '../outbox/event-view.js';
import { PartnerEvent } from '../outbox/partner-event.entity.js';
import { PartnerEvents } from '../outbox/partner-events.service.js';

/** Pauses between tries, as Standard Webhooks proposes: 75 hours in all. */
const PAUSES = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];

/** An event is given up with the first failure after this time. */
const GIVE_UP_SECONDS = 3 * 86_400;

/**
 * A replica serves a partner by so many loops of so many deliveries at once. One that hangs delays those of its loop alone; a round begins
 * one more loop while others are busy.
 */
const LOOPS = 5;
const AT_ONCE = 5;

/** Short, because a backend waits for the outcome; without listeners a round does nothing. */
const PERIOD_MS = 250;
const LISTENERS_PERIOD_MS = 5_000;
const STATE_PERIOD_MS = 15_000;

const OUTCOMES = ['delivered', 'failed', 'parked'] as const;

/** In the order of their positions for each user of a partner. */
const EVENT_DELIVERIES = callKind<PartnerEvent>({
  name: 'partner-event',
  entity: PartnerEvent,
  acceptedState: DUE,
  readyWhen: `t.position IS NOT NULL AND NOT EXISTS (SELECT FROM onboarding.partner_events earlier
    WHERE earlier.partner_id = t.partner_id AND earlier.user_id = t.user_id AND earlier.state = 'DUE'
      AND earlier.position < t.position)
    AND EXISTS (SELECT FROM onboarding.event_subscriptions s WHERE s.partner_id = t.partner_id
      AND s.address IS NOT NULL AND s.paused_at IS NULL AND s.disabled_at IS NULL)`,
  giveUpSeconds: GIVE_UP_SECONDS,
});

/** Seconds until a failed try is repeated. @param random from 0 to 1 */
export const pauseAfter = (tries: number, random: number): number =>
  PAUSES[Math.min(tries, PAUSES.length - 1)]! * (0.9 + random / 5);

/**
 * Delivers events to the addresses of partners, each at least once and with the same id on each try. Partners are served side by side:
 * one that is slow or dead delays only itself.
 */
@Injectable()
export class EventDeliveries implements DurableCall<PartnerEvent, string>, OnModuleInit, OnModuleDestroy {
  readonly name = 'partner-event';
  readonly kind = EVENT_DELIVERIES;
  readonly transitions = { DUE: {}, DELIVERED: {}, PARKED: {} };
  readonly firstPollSeconds = 1;
  readonly leaseSeconds = timeLimit(30);
  readonly retrySeconds = pauseAfter;
  private readonly logger = new Logger(EventDeliveries.name);
  /** Loops of this replica, by partner. */
  private readonly loops = new Map<string, number>();
  private readonly deliveries: KnownCounter<{ readonly outcome: (typeof OUTCOMES)[number] }>;
  private readonly age: Gauge;
  private readonly parked: Gauge;
  private readonly shutdown = new AbortController();

  // eslint-disable-next-line max-params -- a delivery reads an event, signs it, sends it and is measured
  constructor(
    @InjectRepository(PartnerEvent) private readonly rows: Repository<PartnerEvent>,
    private readonly log: EventLog,
    private readonly events: PartnerEvents,
    private readonly sender: EventSender,
    private readonly cipher: PiiCipher,
    private readonly calls: DurableCalls,
    private readonly jobs: Jobs,
    private readonly clock: Clock,
    private readonly config: JourneyConfig,
    registry: Registry,
  ) {
    const registers = [registry];
    this.deliveries = counterFromZero(registry, {
      name: 'partner_event_deliveries_total',
      help: 'Tries to deliver an event to a partner, by outcome: delivered, failed (tried again), or parked (given up)',
      series: OUTCOMES.map((outcome) => ({ outcome })),
    });
    this.age = new Gauge({
      name: 'partner_events_waiting_age_seconds',
      help: 'Age of the oldest event that waits for its delivery to a partner; 0 without any',
      registers,
    });
    this.parked = new Gauge({
      name: 'partner_events_parked',
      help: 'Events of the last 30 days that were not delivered to their partners and are not tried again',
      registers,
    });
  }

  onModuleInit(): void {
    const listeners = { name: 'event-listeners', waiting: 'the list of partners that get events is old' };
    this.jobs.poll({ ...listeners, periodMs: () => LISTENERS_PERIOD_MS, run: () => this.events.refresh() });
    this.jobs.poll({
      name: 'partner-events',
      periodMs: () => PERIOD_MS,
      waiting: 'events of partners wait',
      run: () => this.round(),
    });
    const state = { name: 'partner-events-state', waiting: 'the state of the events is not measured' };
    this.jobs.poll({ ...state, periodMs: () => STATE_PERIOD_MS, run: () => this.measure() });
    this.jobs.deleteOld(OLD_EVENTS);
  }

  /** Ends tries that wait for their answers: they are repeated with the same ids. Before the shutdown waits for the loops. */
  onModuleDestroy(): void {
    this.shutdown.abort();
  }

  async find(id: string): Promise<PartnerEvent> {
    return this.rows.findOneByOrFail({ id });
  }

  /**
   * @returns undefined for an event that is not due any more, and if the end of this replica has interrupted it
   * @throws ProviderError unless the partner has taken the event
   */
  async ask(event: PartnerEvent): Promise<ProviderAnswer<string> | undefined> {
    const { id, partnerId, state } = event;
    // settled, which ends the lease, after it was leased: of a person who is erased nothing more is sent
    if (state !== DUE) return undefined;
    const subscription = await this.rows.manager.findOneBy(EventSubscription, { partnerId });
    if (!subscription?.address) throw new ProviderError(this.name, 'unavailable', { detail: 'no address' });
    const { address, secretEncrypted, formerSecretEncrypted } = subscription;
    const secrets = [
      this.open(partnerId, 'secret', secretEncrypted),
      ...(formerSecretEncrypted ? [this.open(partnerId, 'former_secret', formerSecretEncrypted)] : []),
    ];
    const body = JSON.stringify(viewOf(event, this.config.issuers));
    const headers = signedHeaders(secrets, { id, at: this.clock.machineNow(), body });
    const { signal } = this.shutdown;
    const answer = await this.sender
      .post({ address, headers, body }, signal)
      .then(String, (error: unknown) => (signal.aborted ? 'INTERRUPTED' : wordOf(error)));
    if (/^2\d\d$/.test(answer)) return settledWith(answer);
    if (signal.aborted) {
      // not the partner's failure: due at once for another replica
      await this.rows.update(
        { id, leaseId: event.leaseId! },
        { ...RELEASED, lastAnswer: answer, lastTriedAt: NOW },
      );
      return undefined;
    }
    await this.noteFailure(event, address, answer);
    throw new ProviderError(this.name, 'unavailable', { detail: answer });
  }

  /** The result is written under the lease only, which an erasure of the person ends. */
  async lock(_tx: EntityManager, event: PartnerEvent): Promise<PartnerEvent> {
    return Promise.resolve(event);
  }

  async settle(tx: EntityManager, event: PartnerEvent, lastAnswer: string): Promise<void> {
    const { id, leaseId, tries } = event;
    if (tries > 0) await this.log.wake(tx, event);
    const delivered = { ...ENDED, state: 'DELIVERED', lastAnswer, lastTriedAt: NOW } as const;
    whenCommitted(tx, () => this.deliveries.inc({ outcome: 'delivered' }));
    await tx.update(PartnerEvent, { id, leaseId: leaseId! }, delivered);
  }

  async giveUp(tx: EntityManager, id: string): Promise<void> {
    await tx.update(PartnerEvent, { id }, { ...ENDED, state: 'PARKED' });
    this.logger.error({ msg: 'an event of a partner was given up', event_id: id });
    whenCommitted(tx, () => this.deliveries.inc({ outcome: 'parked' }));
  }

  /** Numbers new events, and begins a loop for each partner that has due ones. */
  private async round(): Promise<void> {
    if (!this.events.mayListen) return;
    await this.log.numberNew();
    for (const partnerId of await this.log.partnersWithDueEvents()) {
      const loops = this.loops.get(partnerId) ?? 0;
      if (loops >= LOOPS) continue;
      this.loops.set(partnerId, loops + 1);
      const served = this.serve(partnerId).finally(() =>
        this.loops.set(partnerId, this.loops.get(partnerId)! - 1),
      );
      void this.calls.untilDone(served).catch((error: unknown) => {
        this.logger.warn({ msg: 'events of a partner wait', partner_id: partnerId, reason: String(error) });
      });
    }
  }

  private async serve(partnerId: string): Promise<void> {
    const own = {
      ...{ where: 't.partnerId = :partnerId', parameters: { partnerId } },
      ...{ orderBy: 't.position', limit: AT_ONCE },
    };
    await actingAs('system:events', async () => {
      while (!this.shutdown.signal.aborted && (await this.calls.advanceSome(this, own)) > 0);
    });
  }

  private async noteFailure(event: PartnerEvent, address: string, lastAnswer: string): Promise<void> {
    const { id, leaseId, partnerId, tries, dueSince } = event;
    this.deliveries.inc({ outcome: 'failed' });
    const { affected } = await this.rows.update({ id, leaseId: leaseId! }, { lastAnswer, lastTriedAt: NOW });
    // too late: another replica has it now, or it was erased
    if (!affected) return;
    const isGivenUp = this.clock.machineNow().getTime() - dueSince.getTime() > GIVE_UP_SECONDS * 1_000;
    // as long as the failed one at least: its delivery wakes them
    await this.log.postponeOthers(event, isGivenUp ? 0 : pauseAfter(tries, 1));
    // an operator may have disabled the partner, or set another address, meanwhile
    if (lastAnswer === '410')
      await this.rows.manager.update(
        EventSubscription,
        { partnerId, address, pausedAt: IsNull() },
        { pausedAt: NOW, pauseReason: 'GONE' },
      );
  }

  private async measure(): Promise<void> {
    if (!this.events.mayListen) return;
    const { manager } = this.rows;
    const waiting = await manager
      .createQueryBuilder(PartnerEvent, 'e')
      .innerJoin(EventSubscription, 's', 's.partnerId = e.partnerId')
      .select('coalesce(extract(epoch FROM now() - min(e.occurredAt)), 0)::float8', 'seconds')
      .where("e.state = 'DUE' AND s.address IS NOT NULL")
      .getRawOne<{ seconds: number }>();
    this.age.set(waiting!.seconds);
    this.parked.set(
      await manager
        .createQueryBuilder(PartnerEvent, 'e')
        .where("e.state = 'PARKED' AND e.tries > 0")
        .getCount(),
    );
  }

  private open(id: string, column: 'secret' | 'former_secret', sealed: string): string {
    return this.cipher.decrypt(sealed, { table: 'event_subscriptions', column, id });
  }
}

const NOW = (): string => 'now()';

/** Keeps the number of failed tries, which the partner sees. */
const ENDED = { ...SETTLED, tries: undefined } as const;

/** Why there was no answer, in a word for the partner. */
function wordOf(error: unknown): string {
  if (error instanceof AddressRefused) return 'ADDRESS_REFUSED';
  const { name, code } = error as { readonly name?: string; readonly code?: unknown };
  if (name === 'AbortError' || name === 'TimeoutError') return 'NO_ANSWER_IN_TIME';
  return typeof code === 'string' && /^[A-Z_]{3,40}$/.test(code) ? code : 'NO_ANSWER';
}
