import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { InsightEvent } from './insight-input.js';

/** Events that clients have reported. They are kept as they came and never changed. */
@Injectable()
export class InsightsRepository {
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
}

const rowOf = ({ id, name, step, issuer, occurredAt, properties }: InsightEvent): object => ({
  event_id: id,
  event_name: name,
  step,
  issuer_slug: issuer,
  occurred_at: occurredAt,
  properties,
});
