import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import {
  type EntityManager,
  type FindOptionsWhere,
  In,
  IsNull,
  MoreThan,
  MoreThanOrEqual,
  Not,
  type Repository,
} from 'typeorm';
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

export interface NumberedEvent {
  readonly userId: string;
  readonly type: EventType;
  /** Slug. */
  readonly issuer: string | null;
  /** As in `NewPartnerEvent`. */
  readonly reasonCode: string | null;
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
  async partnersWithDueEvents(): Promise<string[]> {
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

  /** A partner's events behind a position, in their order, without those of erased people. */
  async listAfter(partnerId: string, position: string, count: number): Promise<PartnerEvent[]> {
    return this.rows.find({
      where: { partnerId, position: MoreThan(position), state: Not('ERASED') },
      order: { position: 'ASC' },
      take: count,
    });
  }

  /** Makes the other open events of a user wait after a failed try: none is sent before the failed one. */
  async postponeOthers({ id, partnerId, userId }: PartnerEvent, seconds: number): Promise<void> {
    const others = { partnerId, userId, state: 'DUE', id: Not(id) } as const;
    const nextTryAt = (): string => `now() + make_interval(secs => ${seconds})`;
    await changeInOrder(this.rows.manager, others, { nextTryAt });
  }

  /** Ends the wait of a user's open events once the one that failed is delivered. Before that one changes: in the order of locks. */
  async wake(tx: EntityManager, { partnerId, userId }: PartnerEvent): Promise<void> {
    await changeInOrder(tx, { partnerId, userId, state: 'DUE' }, { nextTryAt: DELIVER_AGAIN.nextTryAt });
  }
}

const DELIVER_AGAIN = { ...REOPENED, state: 'DUE' } as const;

/** Delivers an event once more, with its id. @returns false unless it was delivered or given up */
export async function replayEvent(tx: EntityManager, id: string): Promise<boolean> {
  const { affected } = await tx.update(
    PartnerEvent,
    { id, state: In(['DELIVERED', 'PARKED']) },
    DELIVER_AGAIN,
  );
  return affected === 1;
}

/** As `replayEvent`, of all events of a partner since a time. @returns how many */
export async function replayEventsSince(tx: EntityManager, partnerId: string, since: Date): Promise<number> {
  const settled = { partnerId, state: In(['DELIVERED', 'PARKED']), occurredAt: MoreThanOrEqual(since) };
  return changeInOrder(tx, settled, DELIVER_AGAIN);
}

/** Leaves the open events of a partner without an address to be read only. */
export async function parkUndelivered(tx: EntityManager, partnerId: string): Promise<void> {
  await changeInOrder(tx, { partnerId, state: 'DUE' }, { ...SETTLED, state: 'PARKED' });
}

/** Ends deliveries to a partner that is disabled, and the access of its backend. */
export async function pauseDisabled(tx: EntityManager, partnerId: string): Promise<void> {
  await tx.update(EventSubscription, { partnerId }, { disabledAt: () => 'now()' });
}

/** Undoes `pauseDisabled`. A pause for another reason stays. */
export async function resumeEnabled(tx: EntityManager, partnerId: string): Promise<void> {
  await reopen(tx, partnerId, { disabledAt: null });
}

export async function endPause(tx: EntityManager, partnerId: string): Promise<void> {
  await reopen(tx, partnerId, { pausedAt: null, pauseReason: null });
}

/** Lets deliveries go on, and restarts the time for which open events are tried. */
async function reopen(tx: EntityManager, partnerId: string, open: Partial<EventSubscription>): Promise<void> {
  await tx.update(EventSubscription, { partnerId }, open);
  const { tries, nextTryAt, dueSince } = DELIVER_AGAIN;
  await changeInOrder(tx, { partnerId, state: 'DUE' }, { tries, nextTryAt, dueSince });
}

/** Of a person who is erased: nobody gets their events any more. */
export async function eraseEventsOf(tx: EntityManager, userId: string): Promise<void> {
  await changeInOrder(tx, { userId, settledAt: IsNull() }, { ...SETTLED, state: 'ERASED' });
  await changeInOrder(tx, { userId }, { state: 'ERASED' });
}

/**
 * Changes several events, locking them in the order of their ids: two such statements that take other ways to the same rows would wait for
 * each other. @returns how many
 */
async function changeInOrder(
  tx: EntityManager,
  which: FindOptionsWhere<PartnerEvent>,
  change: Parameters<Repository<PartnerEvent>['update']>[1],
): Promise<number> {
  const found = tx
    .createQueryBuilder(PartnerEvent, 't')
    .select('t.id')
    .where(which)
    .orderBy('t.id')
    .setLock('pessimistic_write');
  const { affected } = await tx
    .createQueryBuilder()
    .update(PartnerEvent)
    .set(change)
    .where(`id = ANY (ARRAY(${found.getQuery()}))`, found.getParameters())
    .execute();
  return affected ?? 0;
}
