import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { MAX_EVENTS_PER_DAY } from './insights.policy.js';

export type DayPermit =
  | { readonly isGranted: true; readonly day: string }
  | { readonly isGranted: false; readonly retryAfterSeconds: number };

const TODAY = "(clock_timestamp() AT TIME ZONE 'UTC')::date";
/** Few enough to stay within the limits of a query. */
const PURGE_BATCH = 1_000;

/** How many events of each user were kept on which day. The days are PostgreSQL's, so that replicas agree on them. */
@Injectable()
export class InsightDaysRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /**
   * Counts events before they are written, if there is room for all of them. Holds the row of the user's day until
   * the transaction ends, so the count is exact on any number of replicas.
   */
  async take(manager: EntityManager, userId: string, count: number): Promise<DayPermit> {
    const [taken] = await manager.query<{ day: string }[]>(
      `INSERT INTO onboarding.insight_days AS d (user_id, day, events) VALUES ($1, ${TODAY}, $2)
       ON CONFLICT (user_id, day) DO UPDATE SET events = d.events + $2 WHERE d.events + $2 <= $3
       RETURNING day::text`,
      [userId, count, MAX_EVENTS_PER_DAY],
    );
    if (taken) return { isGranted: true, day: taken.day };
    const [{ seconds }] = await manager.query<[{ seconds: number }]>(
      `SELECT ceil(extract(epoch FROM ((${TODAY} + 1)::timestamp AT TIME ZONE 'UTC') - clock_timestamp()))::int
                AS seconds`,
    );
    return { isGranted: false, retryAfterSeconds: Math.max(1, seconds) };
  }

  /** Takes back what was counted and turned out to be known already. */
  async giveBack(manager: EntityManager, userId: string, day: string, count: number): Promise<void> {
    await manager.query(
      'UPDATE onboarding.insight_days SET events = events - $3 WHERE user_id = $1 AND day = $2',
      [userId, day, count],
    );
  }

  /**
   * Deletes what counts no more, a bounded number at a time.
   * @returns how many were deleted
   */
  async purgeOld(): Promise<number> {
    const [, count] = await this.dataSource.query<[unknown, number]>(
      `DELETE FROM onboarding.insight_days WHERE (user_id, day) IN (
         SELECT user_id, day FROM onboarding.insight_days
          WHERE day < ${TODAY} - 1 LIMIT $1 FOR UPDATE SKIP LOCKED)`,
      [PURGE_BATCH],
    );
    return count;
  }
}
