import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { LOOKUP_WINDOW_SECONDS, MAX_LOOKUPS } from './pan.policy.js';

export type LookupPermit =
  | { readonly isGranted: true; readonly lookupId: string }
  | { readonly isGranted: false; readonly retryAfterSeconds: number };

/** Few enough to stay within the limits of a query. */
const PURGE_BATCH = 1_000;

/** What each user has asked of the PAN registry within the last 24 hours, by PostgreSQL's own clock. */
@Injectable()
export class PanLookupsRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /**
   * Counts a look-up before it is made, if there is one left. Calls of one user follow one another, so the count is
   * exact on any number of replicas; a process that dies in between leaves it counted.
   */
  async take(manager: EntityManager, userId: string): Promise<LookupPermit> {
    await manager.query('SELECT 1 FROM onboarding.users WHERE id = $1 FOR NO KEY UPDATE', [userId]);
    // the transaction may have waited for the lock: its own now() is older than what it waited for
    const [{ used, wait_seconds }] = await manager.query<[{ used: number; wait_seconds: number | null }]>(
      `SELECT count(*)::int AS used,
              ceil(extract(epoch FROM min(started_at) + make_interval(secs => $2) - clock_timestamp()))::int
                AS wait_seconds
         FROM onboarding.pan_lookups
        WHERE user_id = $1 AND started_at > clock_timestamp() - make_interval(secs => $2)`,
      [userId, LOOKUP_WINDOW_SECONDS],
    );
    if (used >= MAX_LOOKUPS) return { isGranted: false, retryAfterSeconds: Math.max(1, wait_seconds ?? 1) };
    const lookupId = uuidv7();
    await manager.query(
      'INSERT INTO onboarding.pan_lookups (id, user_id, started_at) VALUES ($1, $2, clock_timestamp())',
      [lookupId, userId],
    );
    return { isGranted: true, lookupId };
  }

  /** Takes a look-up back that the registry did not answer. */
  async giveBack(userId: string, lookupId: string): Promise<void> {
    await this.dataSource.query('DELETE FROM onboarding.pan_lookups WHERE id = $1 AND user_id = $2', [
      lookupId,
      userId,
    ]);
  }

  /**
   * Deletes look-ups that count no more, a bounded number at a time.
   * @returns how many were deleted
   */
  async purgeOld(): Promise<number> {
    const [, count] = await this.dataSource.query<[unknown, number]>(
      `DELETE FROM onboarding.pan_lookups WHERE id IN (
         SELECT id FROM onboarding.pan_lookups
          WHERE started_at <= now() - make_interval(secs => $1) LIMIT $2 FOR UPDATE SKIP LOCKED)`,
      [LOOKUP_WINDOW_SECONDS, PURGE_BATCH],
    );
    return count;
  }
}
