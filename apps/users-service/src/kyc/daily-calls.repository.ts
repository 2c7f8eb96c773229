import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { type CountedRows, DAY_SECONDS, secondsUntilNext } from '../identity/index.js';
import { MAX_AADHAAR_CODES_PER_DAY } from './ekyc/ekyc.policy.js';

export type SendPermit =
  | { readonly isGranted: true; readonly sendId: string }
  | { readonly isGranted: false; readonly retryAfterSeconds: number };

const COUNTED: CountedRows = { table: 'aadhaar_sends', time: 'started_at', max: MAX_AADHAAR_CODES_PER_DAY };
/** Few enough to stay within the limits of a query. */
const PURGE_BATCH = 1_000;

/** Which users have caused Aadhaar codes within the last 24 hours; not to whom. */
@Injectable()
export class AadhaarSendsRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Counts a code before it is sent, if there is one left. A process that dies in between leaves it counted. */
  async take(userId: string): Promise<SendPermit> {
    return this.dataSource.transaction(async (manager) => {
      const waitSeconds = await secondsUntilNext(manager, COUNTED, userId);
      if (waitSeconds > 0) return { isGranted: false, retryAfterSeconds: waitSeconds };
      const sendId = uuidv7();
      await manager.query(
        'INSERT INTO onboarding.aadhaar_sends (id, user_id, started_at) VALUES ($1, $2, clock_timestamp())',
        [sendId, userId],
      );
      return { isGranted: true, sendId };
    });
  }

  /** Takes a code back that was not sent. */
  async giveBack(userId: string, sendId: string): Promise<void> {
    await this.dataSource.query('DELETE FROM onboarding.aadhaar_sends WHERE id = $1 AND user_id = $2', [
      sendId,
      userId,
    ]);
  }

  /**
   * Deletes what counts no more, a bounded number at a time.
   * @returns how many were deleted
   */
  async purgeOld(): Promise<number> {
    const [, count] = await this.dataSource.query<[unknown, number]>(
      `DELETE FROM onboarding.aadhaar_sends WHERE id IN (
         SELECT id FROM onboarding.aadhaar_sends
          WHERE started_at <= now() - make_interval(secs => $1) LIMIT $2 FOR UPDATE SKIP LOCKED)`,
      [DAY_SECONDS, PURGE_BATCH],
    );
    return count;
  }
}
