import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import {
  countRow,
  type CountedRows,
  oldCounted,
  secondsOfFullDay,
  secondsUntilNext,
} from '../../identity/index.js';
import {
  BankAccountsRepository,
  type GivenAccount,
  withoutBranch,
} from '../accounts/bank-accounts.repository.js';
import { BankCheck } from './bank-check.entity.js';
import { LOCK_ACCOUNT_NUMBER } from './bank-limits.queries.js';
import { BankMismatch } from './bank-mismatch.entity.js';

/**
 * Verifications that one user may begin within any 24 hours: of new accounts, and of accounts that a bank has refused.
 * Each sends a penny, costs money, and reveals something about an account that may belong to another person.
 */
export const MAX_CHECKS_PER_DAY = 60;
const CHECKS: CountedRows = { entity: BankCheck, time: 'startedAt', max: MAX_CHECKS_PER_DAY };

/**
 * Maximum of mismatched names within 24 hours, for a user and for an account number. Each mismatch reveals something
 * about the name of a holder who may be another person.
 */
export const MAX_MISMATCHES_PER_DAY = 5;
const MISMATCHES: CountedRows = {
  entity: BankMismatch,
  time: 'createdAt',
  max: MAX_MISMATCHES_PER_DAY,
};

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
  async secondsUntilCheck(tx: EntityManager, userId: string): Promise<number> {
    return secondsUntilNext(tx, CHECKS, userId);
  }

  /** The caller has called `secondsUntilCheck` in the same transaction. */
  async countCheck(tx: EntityManager, userId: string): Promise<void> {
    await countRow(tx, CHECKS, userId);
  }

  /**
   * Seconds until names of an account may be compared; 0: now. The caller has locked the user. The account number stays
   * locked for all users until the transaction ends, so that the count is exact.
   */
  async secondsUntilComparison(tx: EntityManager, given: NumberOfUser): Promise<number> {
    const accountIndex = this.indexOf(given);
    await LOCK_ACCOUNT_NUMBER.run(tx, { accountIndex });
    const seconds = await Promise.all([
      secondsOfFullDay(tx, MISMATCHES, { userId: given.userId }),
      secondsOfFullDay(tx, MISMATCHES, { accountIndex }),
    ]);
    return Math.max(...seconds);
  }

  /** The caller has called `secondsUntilComparison` in the same transaction. */
  async countMismatch(tx: EntityManager, given: NumberOfUser): Promise<void> {
    await tx.insert(BankMismatch, {
      ...{ id: uuidv7(), userId: given.userId, accountIndex: this.indexOf(given) },
      createdAt: () => 'clock_timestamp()',
    });
  }

  private indexOf(given: NumberOfUser): Buffer {
    return this.accounts.indexOf(withoutBranch(given));
  }
}
