import { Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import type { Transaction } from '@fd/platform';
import { countRow, type CountedRows, fullDay, oldCounted, secondsUntilNext } from '../../identity/index.js';
import {
  BankAccountsRepository,
  type GivenAccount,
  withoutBranch,
} from '../accounts/bank-accounts.repository.js';

/**
 * Verifications that one user may begin within any 24 hours: of new accounts, and of accounts that a bank has refused.
 * Each sends a penny, costs money, and reveals something about an account that may belong to another person.
 */
export const MAX_CHECKS_PER_DAY = 60;
const CHECKS: CountedRows = { table: 'bank_checks', time: 'started_at', max: MAX_CHECKS_PER_DAY };

/**
 * Maximum of mismatched names within 24 hours, for a user and for an account number. Each mismatch reveals something
 * about the name of a holder who may be another person.
 */
export const MAX_MISMATCHES_PER_DAY = 5;
const MISMATCHES: CountedRows = { table: 'bank_mismatches', time: 'created_at', max: MAX_MISMATCHES_PER_DAY };
/** $1 user, $2 account number; null: names may be compared now. */
const WAIT = `
SELECT max(seconds) AS seconds
  FROM ((${fullDay(MISMATCHES)}) UNION ALL (${fullDay(MISMATCHES, 'account_index = $2')})) AS full_days`;

export const OLD_COUNTED_ROWS = [
  oldCounted('old bank checks', CHECKS),
  oldCounted('old bank mismatches', MISMATCHES),
];

type NumberOfUser = Pick<GivenAccount, 'userId' | 'account' | 'ifsc'>;

/**
 * Counts the last 24 hours of each user: verifications, without their accounts, and mismatched names, so that a holder's
 * name cannot be guessed.
 */
@Injectable()
export class BankLimitsRepository {
  constructor(private readonly accounts: BankAccountsRepository) {}

  /** Seconds until a user may begin one more verification; 0: now. Locks the user until the transaction ends. */
  async secondsUntilCheck(transaction: Transaction, userId: string): Promise<number> {
    return secondsUntilNext(transaction, CHECKS, userId);
  }

  /** The caller has called `secondsUntilCheck` in the same transaction. */
  async countCheck(transaction: Transaction, userId: string): Promise<void> {
    await countRow(transaction, CHECKS, userId);
  }

  /**
   * Seconds until names of an account may be compared; 0: now. The caller has locked the user. The account number stays
   * locked for all users until the transaction ends, so that the count is exact.
   */
  async secondsUntilComparison(transaction: Transaction, given: NumberOfUser): Promise<number> {
    const index = this.indexOf(given);
    await transaction.query(
      "SELECT pg_advisory_xact_lock(hashtextextended('bank_mismatches ' || encode($1, 'hex'), 0))",
      [index],
    );
    const [{ seconds }] = await transaction.query<[{ seconds: number | null }]>(WAIT, [given.userId, index]);
    return seconds ?? 0;
  }

  /** The caller has called `secondsUntilComparison` in the same transaction. */
  async countMismatch(transaction: Transaction, given: NumberOfUser): Promise<void> {
    await transaction.query(
      `INSERT INTO onboarding.bank_mismatches (id, user_id, account_index, created_at)
       VALUES ($1, $2, $3, clock_timestamp())`,
      [uuidv7(), given.userId, this.indexOf(given)],
    );
  }

  private indexOf(given: NumberOfUser): Buffer {
    return this.accounts.indexOf(withoutBranch(given));
  }
}
