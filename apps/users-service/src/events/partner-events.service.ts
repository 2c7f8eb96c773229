import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { EntityManager, Repository } from 'typeorm';
import { EventSubscription } from './event-subscription.entity.js';
import type { NewPartnerEvent } from './event-types.js';
import { PartnerEvent } from './partner-event.entity.js';

/** How long the list of listening partners is trusted, without which each event of each user costs a look. */
const KNOWN_MS = 10_000;

/** The outbox of the partners: an event is written in the transaction that makes the change, or neither is. */
@Injectable()
export class PartnerEvents {
  private listening: ReadonlySet<string> = new Set();
  private readAtMs = -Infinity;

  constructor(@InjectRepository(EventSubscription) private readonly subscriptions: Repository<EventSubscription>) {}

  /** Reads which partners listen; a job repeats it. */
  async refresh(): Promise<void> {
    const readAtMs = performance.now();
    const known = await this.subscriptions.find({ select: { partnerId: true } });
    this.listening = new Set(known.map(({ partnerId }) => partnerId));
    this.readAtMs = readAtMs;
  }

  /**
   * Whether an event may have to be written; false spares the work. A partner that has just begun to listen may be missed for ten seconds.
   * @param partnerId null for an unknown one
   */
  mayListen(partnerId: string | null): boolean {
    if (!this.isFresh) return true;
    return partnerId === null ? this.listening.size > 0 : this.listening.has(partnerId);
  }

  /** Adds events in the transaction that makes the change, of which partners that do not listen learn nothing. */
  async add(tx: EntityManager, ...events: readonly NewPartnerEvent[]): Promise<void> {
    for (const { issuer, partnerId, ...event } of events) {
      if (!this.mayListen(partnerId)) continue;
      if (!this.isFresh && !(await tx.existsBy(EventSubscription, { partnerId }))) continue;
      await tx.insert(PartnerEvent, { ...event, partnerId, issuerSlug: issuer ?? null });
    }
  }

  private get isFresh(): boolean {
    return performance.now() - this.readAtMs < KNOWN_MS;
  }
}
