import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, In, IsNull, MoreThan, MoreThanOrEqual, Not, type Repository } from 'typeorm';
import { type OldRows, REOPENED, SETTLED } from '../../core/index.js';
import { EventSubscription } from '../subscriptions/event-subscription.entity.js';
import type { EventType } from './event-types.js';
import { NUMBER_EVENTS, NUMBERED_AT_ONCE } from './events.queries.js';
import { PartnerEvent } from './partner-event.entity.js';

/** Days for which a partner can read its events. */
export const EVENT_DAYS = 30;

export const OLD_EVENTS: OldRows = {
  name: 'old events of partners',
  entity: PartnerEvent,
  select: (rows) => rows.where(`t.occurredAt < now() - interval '${EVENT_DAYS} days'`),
};

/** An event that has got its position. */
export interface NumberedEvent {
  readonly userId: string;
  readonly type: EventType;
  /** Slug. */
  readonly issuer: string | null;
}

/** Acts on events when they get their positions, in the same transaction. Implemented by a domain above. */
export type OnNumbered = (tx: EntityManager, events: readonly NumberedEvent[]) => Promise<void>;

/** Events of the partners, in an order of each. */
@Injectable()
export class EventLog {
  private readonly observers: OnNumbered[] = [];

  constructor(@InjectRepository(PartnerEvent) private readonly rows: Repository<PartnerEvent>) {}

  /** Called at start by who follows the events. */
  onNumbered(observer: OnNumbered): void {
    this.observers.push(observer);
  }

  /** Gives new events their positions; replicas take turns at a partner. */
  async numberNew(): Promise<void> {
    const waiting = await this.partnersWith('e.position IS NULL');
    for (const partnerId of waiting) while ((await this.numberBatch(partnerId)) === NUMBERED_AT_ONCE);
  }

  /** Ids of partners with due events and an address that takes them. */
  async partnersToTell(): Promise<string[]> {
    return this.partnersWith(
      "e.state = 'DUE' AND e.nextTryAt <= now()",
      's.address IS NOT NULL AND s.pausedAt IS NULL AND s.disabledAt IS NULL',
    );
  }

  private async partnersWith(event: string, subscription = 'true'): Promise<string[]> {
    const found = await this.rows.manager
      .createQueryBuilder(EventSubscription, 's')
      .select('s.partnerId', 'partnerId')
      .where(subscription)
      .andWhere((query) => {
        const events = query.subQuery().select('1').from(PartnerEvent, 'e');
        return `EXISTS ${events.where(`e.partnerId = s.partnerId AND ${event}`).getQuery()}`;
      })
      .getRawMany<{ partnerId: string }>();
    return found.map(({ partnerId }) => partnerId);
  }

  private async numberBatch(partnerId: string): Promise<number> {
    return this.rows.manager.transaction(async (tx) => {
      const lock = { mode: 'pessimistic_write', onLocked: 'skip_locked' } as const;
      // READ COMMITTED: the statement after it sees what the former holder of the lock has numbered
      const mine = await tx.findOne(EventSubscription, {
        select: { partnerId: true },
        where: { partnerId },
        lock,
      });
      if (!mine) return 0;
      const numbered = (await NUMBER_EVENTS.rows(tx, { partnerId })) as NumberedEvent[];
      for (const observe of this.observers) await observe(tx, numbered);
      return numbered.length;
    });
  }

  /** A partner's event, erased ones too; null for an unknown one. */
  async find(partnerId: string, id: string): Promise<PartnerEvent | null> {
    return this.rows.findOneBy({ partnerId, id });
  }

  async findById(id: string): Promise<PartnerEvent | null> {
    return this.rows.findOneBy({ id });
  }

  /** A partner's events behind a position, in their order, without those of erased people. */
  async listAfter(partnerId: string, position: string, count: number): Promise<PartnerEvent[]> {
    return this.rows.find({
      where: { partnerId, position: MoreThan(position), state: Not('ERASED') },
      order: { position: 'ASC' },
      take: count,
    });
  }

  /** Delivers an event once more, with its id. @returns false unless it was delivered or given up */
  async replay(tx: EntityManager, id: string): Promise<boolean> {
    const { affected } = await tx.update(
      PartnerEvent,
      { id, state: In(['DELIVERED', 'PARKED']) },
      DELIVER_AGAIN,
    );
    return affected === 1;
  }

  /** As `replay`, of all events of a partner since a time. @returns how many */
  async replaySince(tx: EntityManager, partnerId: string, since: Date): Promise<number> {
    const settled = { partnerId, state: In(['DELIVERED', 'PARKED']), occurredAt: MoreThanOrEqual(since) };
    const { affected } = await tx.update(PartnerEvent, settled, DELIVER_AGAIN);
    return affected ?? 0;
  }

  /** Starts the time for which open events are tried anew, after a pause. */
  async restartClocks(tx: EntityManager, partnerId: string): Promise<void> {
    const { tries, nextTryAt, dueSince } = DELIVER_AGAIN;
    await tx.update(PartnerEvent, { partnerId, state: 'DUE' }, { tries, nextTryAt, dueSince });
  }

  /** Leaves the open events of a partner without an address to be read only. */
  async parkUndelivered(tx: EntityManager, partnerId: string): Promise<void> {
    await tx.update(PartnerEvent, { partnerId, state: 'DUE' }, { ...SETTLED, state: 'PARKED' });
  }
}

const DELIVER_AGAIN = { ...REOPENED, state: 'DUE' } as const;

/** Of a person who is erased: nobody gets their events any more. */
export async function eraseEventsOf(tx: EntityManager, userId: string): Promise<void> {
  await tx.update(PartnerEvent, { userId, settledAt: IsNull() }, { ...SETTLED, state: 'ERASED' });
  await tx.update(PartnerEvent, { userId }, { state: 'ERASED' });
}
