import { Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import type { Transaction } from '@fd/platform';
import type { OldRows } from '../../core/index.js';
import { type CountedRows, secondsUntilNext } from '../../identity/index.js';

/**
 * Verifications that one user may begin within any 24 hours: of new accounts, and of accounts that a bank has refused.
 * Each sends a penny, costs money, and reveals something about an account that may belong to another person.
 */
export const MAX_CHECKS_PER_DAY = 60;
const COUNTED: CountedRows = { table: 'bank_checks', time: 'started_at', max: MAX_CHECKS_PER_DAY };
export const OLD_BANK_CHECKS: OldRows = {
  name: 'old bank checks',
  table: 'bank_checks',
  where: "started_at <= now() - interval '24 hours'",
};

/** Counts each user's verifications of the last 24 hours, without their accounts. */
@Injectable()
export class BankChecksRepository {
  /** Seconds until a user may begin one more; 0: now. Locks the user until the transaction ends. */
  async secondsUntilNext(transaction: Transaction, userId: string): Promise<number> {
    return secondsUntilNext(transaction, COUNTED, userId);
  }

  /** Counts one; the caller has called `secondsUntilNext` in the same transaction. */
  async count(transaction: Transaction, userId: string): Promise<void> {
    await transaction.query(
      'INSERT INTO onboarding.bank_checks (id, user_id, started_at) VALUES ($1, $2, clock_timestamp())',
      [uuidv7(), userId],
    );
  }
}
