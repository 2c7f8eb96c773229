import { Injectable } from '@nestjs/common';
import { type AppError, GeneralErrors } from '@fd/errors';
import { Database, type Transaction } from '@fd/platform';
import type { OldRows } from '../../core/index.js';
import { JourneyRepository } from '../steps/journey.repository.js';
import { DEPOSIT_SEEN } from '../steps/journey.table.js';
import type { BatchSize, InsightEvent } from './insight-input.js';

/** Limit for new events of one user on one day (UTC), and those of refused batches. */
export const MAX_EVENTS_PER_DAY = 20_000;
/**
 * Limit for the bytes of all reported properties, as JSON in UTF-8: 100 for each event, or 150 events with the largest
 * properties that a batch may contain. Without this limit a user could store 264 MB a day, and have as much searched for
 * personal data as calls are possible.
 */
export const MAX_PROPERTY_BYTES_PER_DAY = 2_000_000;

/** PostgreSQL's day, so that replicas agree on it. */
const TODAY = "(clock_timestamp() AT TIME ZONE 'UTC')::date";

/** Counts of days that are over. */
export const OLD_INSIGHT_COUNTS: OldRows = {
  name: 'old counts of insight events',
  table: 'insight_days',
  key: 'user_id, day',
  // now() is constant within a statement, so the index can be used
  where: "day < (now() AT TIME ZONE 'UTC')::date - 1",
};

/** Events from clients. Stored unchanged, and deleted after their retention period. */
@Injectable()
export class InsightsRepository {
  constructor(
    private readonly database: Database,
    private readonly journey: JourneyRepository,
  ) {}

  /**
   * Counts a batch before it is read, since the search for personal data takes milliseconds: a batch over the limit costs
   * only this statement, and one that is refused or repeats events is counted as well. Exact on any number of replicas.
   * @returns the day (UTC), as `YYYY-MM-DD`
   * @throws GeneralErrors.tooManyRequests if the batch exceeds a daily limit of the user; then it is not counted
   */
  async countToday(userId: string, { events, bytes }: BatchSize): Promise<string> {
    const [counted] = await this.database.query<{ day: string }[]>(
      `INSERT INTO onboarding.insight_days AS d (user_id, day, events, bytes) VALUES ($1, ${TODAY}, $2, $4)
       ON CONFLICT (user_id, day) DO UPDATE SET events = d.events + $2, bytes = d.bytes + $4
         WHERE d.events + $2 <= $3 AND d.bytes + $4 <= $5
       RETURNING day::text`,
      [userId, events, MAX_EVENTS_PER_DAY, bytes, MAX_PROPERTY_BYTES_PER_DAY],
    );
    if (counted) return counted.day;
    throw await this.untilTomorrow();
  }

  /**
   * Stores the new events of a batch, gives the others back to the day, and completes the steps that follow from the new
   * ones. The bytes of repeated events stay counted, since they were searched.
   * @param day on which the batch was counted
   * @param events with different ids
   * @returns the stored ones
   */
  async keep(userId: string, day: string, events: readonly InsightEvent[]): Promise<InsightEvent[]> {
    return this.database.transaction(async (transaction) => {
      const kept = await this.insert(transaction, userId, events);
      if (kept.length < events.length) {
        await transaction.query(
          'UPDATE onboarding.insight_days SET events = events - $3 WHERE user_id = $1 AND day = $2',
          [userId, day, events.length - kept.length],
        );
      }
      const seen = kept.filter(({ name }) => DEPOSIT_SEEN.includes(name)).map(({ issuer }) => issuer);
      // sorted, so that two batches do not deadlock
      for (const issuer of [...new Set(seen)].sort()) {
        if (issuer === null) continue;
        await this.journey.record({ userId, step: 'FD_DETAIL', event: 'COMPLETED', issuer }, transaction);
      }
      return kept;
    });
  }

  /** A trigger of the table refuses duplicates, because no unique key spans its partitions. */
  private async insert(
    transaction: Transaction,
    userId: string,
    events: readonly InsightEvent[],
  ): Promise<InsightEvent[]> {
    // sorted by id, so that overlapping batches wait for one another instead of deadlocking
    const sorted = [...events].sort((a, b) => (a.id < b.id ? -1 : 1));
    const rows = await transaction.query<{ id: string }[]>(
      `INSERT INTO onboarding.insight_events
         (user_id, event_id, event_name, step, issuer_slug, occurred_at, properties)
       SELECT $1, id, name, step, issuer, "occurredAt", properties
         FROM jsonb_to_recordset($2::jsonb) AS event
           (id uuid, name text, step text, issuer text, "occurredAt" timestamptz, properties jsonb)
       ON CONFLICT DO NOTHING RETURNING event_id AS id`,
      [userId, JSON.stringify(sorted)],
    );
    const kept = new Set(rows.map(({ id }) => id));
    return events.filter(({ id }) => kept.has(id));
  }

  /** The refusal of a batch that does not fit into the user's day. */
  private async untilTomorrow(): Promise<AppError> {
    const [{ seconds }] = await this.database.query<[{ seconds: number }]>(
      `SELECT ceil(extract(epoch FROM ((${TODAY} + 1)::timestamp AT TIME ZONE 'UTC') - clock_timestamp()))::int
                AS seconds`,
    );
    return GeneralErrors.tooManyRequests({ retryAfterSeconds: Math.max(1, seconds) });
  }
}
