import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { type CountedRows, DAY_SECONDS, secondsUntilNext } from '../../identity/index.js';
import { MAX_CHECKS_PER_DAY } from './bank.policy.js';

const COUNTED: CountedRows = { table: 'bank_checks', time: 'started_at', max: MAX_CHECKS_PER_DAY };
/** Bounds the time of one DELETE. */
const PURGE_BATCH = 1_000;

/** Counts the verifications that each user began within the last 24 hours; not of which account. */
@Injectable()
export class BankChecksRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Seconds until a user may begin one more; 0: now. Locks the user until the transaction ends. */
  async secondsUntilNext(manager: EntityManager, userId: string): Promise<number> {
    return secondsUntilNext(manager, COUNTED, userId);
  }

  /** Counts one; the caller has called `secondsUntilNext` in the same transaction. */
  async count(manager: EntityManager, userId: string): Promise<void> {
    await manager.query(
      'INSERT INTO onboarding.bank_checks (id, user_id, started_at) VALUES ($1, $2, clock_timestamp())',
      [uuidv7(), userId],
    );
  }

  /**
   * Deletes a bounded number of rows that no longer count.
   * @returns how many were deleted
   */
  async purgeOld(): Promise<number> {
    const [, count] = await this.dataSource.query<[unknown, number]>(
      `DELETE FROM onboarding.bank_checks WHERE id IN (
         SELECT id FROM onboarding.bank_checks
          WHERE started_at <= now() - make_interval(secs => $1) LIMIT $2 FOR UPDATE SKIP LOCKED)`,
      [DAY_SECONDS, PURGE_BATCH],
    );
    return count;
  }
}
