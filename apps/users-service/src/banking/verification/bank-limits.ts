import type { EntityManager } from 'typeorm';
import { type CountedRows, countRow, oldCounted, secondsOfFullDay } from '../../identity/index.js';
import { BankCheck } from './bank-check.entity.js';
import { LOCK_ACCOUNT_NUMBER } from './bank-limits.queries.js';
import { BankMismatch } from './bank-mismatch.entity.js';

/**
 * Verifications that one user may begin within any 24 hours: of new accounts, and of accounts that a bank has refused.
 * Each sends a penny, costs money, and reveals something about an account that may belong to another person.
 */
export const CHECKS: CountedRows = { entity: BankCheck, time: 'startedAt', max: 60 };

/**
 * Mismatched names within 24 hours, for a user and for an account number. Each reveals something about the name of a holder who may be
 * another person.
 */
export const MISMATCHES: CountedRows = { entity: BankMismatch, time: 'createdAt', max: 5 };

export const OLD_COUNTED_ROWS = [
  oldCounted('old bank checks', CHECKS),
  oldCounted('old bank mismatches', MISMATCHES),
];

/** An account number, by its keyed hash, that a user gives. */
interface CountedNumber {
  readonly userId: string;
  readonly accountIndex: Buffer;
}

/**
 * Seconds until names of an account may be compared; 0: now. The caller has locked the user. The account number stays
 * locked for all users until the transaction ends, so that the count is exact.
 */
export async function secondsUntilComparison(
  tx: EntityManager,
  { userId, accountIndex }: CountedNumber,
): Promise<number> {
  await LOCK_ACCOUNT_NUMBER.run(tx, { accountIndex });
  const seconds = await Promise.all([
    secondsOfFullDay(tx, MISMATCHES, { userId }),
    secondsOfFullDay(tx, MISMATCHES, { accountIndex }),
  ]);
  return Math.max(...seconds);
}

/** The caller has called `secondsUntilComparison` in the same transaction. */
export async function countMismatch(
  tx: EntityManager,
  { userId, accountIndex }: CountedNumber,
): Promise<void> {
  await countRow(tx, MISMATCHES, userId, { accountIndex });
}
