import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import type { InsightEvent } from './insight-input.js';
import { RETENTION_DAYS } from './insights.policy.js';

/** Few enough to stay within the limits of a query. */
const PURGE_BATCH = 1_000;

/** Events that clients have reported. They are kept as they came, for a time, and never changed. */
@Injectable()
export class InsightsRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /**
   * Keeps the events that are not known yet. The primary key decides, whoever else reports them at the same time.
   * @param events of different ids
   * @returns ids of those that were kept
   */
  async keep(
    manager: EntityManager,
    userId: string,
    events: readonly InsightEvent[],
  ): Promise<ReadonlySet<string>> {
    // in the order of ids: batches that overlap wait for one another instead of blocking each other
    const sorted = [...events].sort((a, b) => (a.id < b.id ? -1 : 1));
    const kept = await manager.query<{ event_id: string }[]>(
      `INSERT INTO onboarding.insight_events
         (user_id, event_id, event_name, step, issuer_slug, occurred_at, properties)
       SELECT $1, event_id, event_name, step, issuer_slug, occurred_at, properties
         FROM jsonb_to_recordset($2::jsonb) AS event
           (event_id uuid, event_name text, step text, issuer_slug text, occurred_at timestamptz, properties jsonb)
       ON CONFLICT DO NOTHING RETURNING event_id`,
      [userId, JSON.stringify(sorted.map(rowOf))],
    );
    return new Set(kept.map((row) => row.event_id));
  }

  /**
   * Deletes events whose time is over, a bounded number at a time.
   * @returns how many were deleted
   */
  async purgeOld(): Promise<number> {
    const [, count] = await this.dataSource.query<[unknown, number]>(
      `DELETE FROM onboarding.insight_events WHERE (user_id, event_id) IN (
         SELECT user_id, event_id FROM onboarding.insight_events
          WHERE received_at < now() - make_interval(days => $1)
          ORDER BY received_at LIMIT $2 FOR UPDATE SKIP LOCKED)`,
      [RETENTION_DAYS, PURGE_BATCH],
    );
    return count;
  }
}

const rowOf = ({ id, name, step, issuer, occurredAt, properties }: InsightEvent): object => ({
  event_id: id,
  event_name: name,
  step,
  issuer_slug: issuer,
  occurred_at: occurredAt,
  properties,
});
