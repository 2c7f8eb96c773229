import { Injectable } from '@nestjs/common';
import { DEADLINE_MS, timeLimit } from '@fd/envelope';
import { beforeCommit } from '@fd/platform';
import { EntityManager } from 'typeorm';
import { EventSubscription } from '../subscriptions/event-subscription.entity.js';
import type { NewPartnerEvent } from './event-types.js';
import { ADD_EVENTS } from './events.queries.js';

/** How long the list of listening partners is trusted: a look for each event would cost every login. */
const TRUSTED_MS = timeLimit(10_000);

/**
 * Acts on events of partners that do not listen, which are not written: they may decide about events of others. As the last work of the same
 * transaction, so that its locks come last.
 */
export type OnUnwritten = (tx: EntityManager, events: readonly NewPartnerEvent[]) => Promise<void>;

/** The outbox of the partners: an event is written in the transaction that makes the change, or neither is. */
@Injectable()
export class PartnerEvents {
  private listening: ReadonlySet<string> = new Set();
  private readonly observers: OnUnwritten[] = [];
  private readAtMs = -Infinity;

  constructor(private readonly manager: EntityManager) {}

  /** Called at start by who follows the events of all partners while any listens. */
  onUnwritten(observer: OnUnwritten): void {
    this.observers.push(observer);
  }

  /** Reads which partners listen; a job repeats it. */
  async refresh(manager = this.manager): Promise<void> {
    const readAtMs = performance.now();
    const known = await manager.find(EventSubscription, { select: { partnerId: true } });
    // a later read, such as that of a command, may have ended before this one
    if (readAtMs < this.readAtMs) return;
    this.listening = new Set(known.map(({ partnerId }) => partnerId));
    this.readAtMs = readAtMs;
  }

  /**
   * Lets `add` write at once until the request ends, for statements that travel with their COMMIT. Costs nothing while the job reads the
   * list.
   */
  async prepare(): Promise<void> {
    if (this.ageMs > TRUSTED_MS - DEADLINE_MS) await this.refresh();
  }

  /**
   * Whether any partner may listen; false spares the work. A partner that has just begun to listen may be missed for ten seconds, later
   * ones never: a list that could not be read in time is not trusted.
   */
  get mayListen(): boolean {
    return !this.isTrusted || this.listening.size > 0;
  }

  /** Adds events in the transaction that makes the change. Those for partners that do not listen are not written. */
  async add(tx: EntityManager, ...events: readonly NewPartnerEvent[]): Promise<void> {
    await this.addOfNew(tx, ...events);
    if (this.listening.size === 0) return;
    const unwritten = events.filter(({ partnerId }) => !this.listening.has(partnerId));
    if (unwritten.length === 0) return;
    await beforeCommit(tx, async () => {
      for (const observe of this.observers) await observe(tx, unwritten);
    });
  }

  /** As `add`, of a new user, whom nobody follows yet: one statement, with which COMMIT may travel after `prepare`. */
  async addOfNew(tx: EntityManager, ...events: readonly NewPartnerEvent[]): Promise<void> {
    if (events.length > 0 && !this.isTrusted) await this.refresh(tx);
    const wanted = events.filter(({ partnerId }) => this.listening.has(partnerId));
    if (wanted.length > 0) await ADD_EVENTS.run(tx, { events: JSON.stringify(wanted) });
  }

  private get isTrusted(): boolean {
    return this.ageMs < TRUSTED_MS;
  }

  private get ageMs(): number {
    return performance.now() - this.readAtMs;
  }
}
