import { Injectable } from '@nestjs/common';
import { GeneralErrors } from '@fd/errors';
import { EntityManager } from 'typeorm';
import type { OldRows } from '../../core/index.js';
import { JourneyRepository } from '../steps/journey.repository.js';
import { DEPOSIT_SEEN } from '../steps/journey.table.js';
import { InsightDay } from './insight-day.entity.js';
import { InsightEventRow } from './insight-event.entity.js';
import type { BatchSize, InsightEvent } from './insight-input.js';
import { COUNT_BATCH, UNTIL_TOMORROW } from './insights.queries.js';

/** Limit for new events of one user on one day (UTC), and those of refused batches. */
export const MAX_EVENTS_PER_DAY = 20_000;
/**
 * Limit for the bytes of all reported properties, as JSON in UTF-8: 100 for each event, or 150 events with the largest
 * properties that a batch may contain. Without this limit a user could store 264 MB a day, and have as much searched for
 * personal data as calls are possible.
 */
export const MAX_PROPERTY_BYTES_PER_DAY = 2_000_000;

export const OLD_INSIGHT_COUNTS: OldRows = {
  name: 'old counts of insight events',
  entity: InsightDay,
  // now() is constant within a statement, so the index can be used
  select: (rows) => rows.where("t.day < (now() AT TIME ZONE 'UTC')::date - 1"),
};

/** Events from clients. Stored unchanged, and deleted after their retention period. */
@Injectable()
export class InsightsRepository {
  constructor(
    private readonly manager: EntityManager,
    private readonly journey: JourneyRepository,
  ) {}

  /**
   * Counts a batch before it is read, since the search for personal data takes milliseconds: a batch over the limit costs
   * only this statement, and one that is refused or repeats events is counted as well. Exact on any number of replicas.
   * @returns the day (UTC), as `YYYY-MM-DD`
   * @throws GeneralErrors.tooManyRequests if the batch exceeds a daily limit of the user; then it is not counted
   */
  async countToday(userId: string, { events, bytes }: BatchSize): Promise<string> {
    const [counted] = await COUNT_BATCH.rows(this.manager, {
      ...{ userId, events, bytes },
      maxEvents: MAX_EVENTS_PER_DAY,
      maxBytes: MAX_PROPERTY_BYTES_PER_DAY,
    });
    if (counted) return counted.day;
    const [tomorrow] = await UNTIL_TOMORROW.rows(this.manager, {});
    throw GeneralErrors.tooManyRequests({ retryAfterSeconds: tomorrow!.seconds });
  }

  /**
   * Stores the new events of a batch, gives the others back to the day, and completes the steps that follow from the new
   * ones. The bytes of repeated events stay counted, since they were searched.
   * @param day on which the batch was counted
   * @param events with different ids
   * @returns the stored ones
   */
  async keep(userId: string, day: string, events: readonly InsightEvent[]): Promise<InsightEvent[]> {
    return this.manager.transaction(async (tx) => {
      const kept = await this.insert(tx, userId, events);
      if (kept.length < events.length)
        await tx.decrement(InsightDay, { userId, day }, 'events', events.length - kept.length);
      const seen = kept.filter(({ name }) => DEPOSIT_SEEN.includes(name)).map(({ issuer }) => issuer);
      // sorted, so that two batches do not deadlock
      for (const issuer of [...new Set(seen)].sort()) {
        if (issuer === null) continue;
        await this.journey.record(tx, { userId, step: 'FD_DETAIL', event: 'COMPLETED', issuer });
      }
      return kept;
    });
  }

  /** A trigger of the table refuses duplicates, because no unique key spans its partitions. */
  private async insert(
    tx: EntityManager,
    userId: string,
    events: readonly InsightEvent[],
  ): Promise<InsightEvent[]> {
    // sorted by id, so that overlapping batches wait for one another instead of deadlocking
    const sorted = [...events].sort((a, b) => (a.id < b.id ? -1 : 1));
    const rows = sorted.map(({ id: eventId, name: eventName, issuer: issuerSlug, ...event }) => ({
      ...{ userId, eventId, eventName, issuerSlug },
      ...event,
    }));
    const insert = tx.createQueryBuilder().insert().into(InsightEventRow).values(rows).orIgnore();
    const { raw } = (await insert.returning('event_id').execute()) as { raw: { event_id: string }[] };
    const kept = new Set(raw.map(({ event_id }) => event_id));
    return events.filter(({ id }) => kept.has(id));
  }
}
