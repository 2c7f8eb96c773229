import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { type UserRow, type UserTable, withheld } from '../core/index.js';
import { BankAccountRow } from './accounts/bank-account.entity.js';
import { BankSync } from './accounts/bank-sync.entity.js';
import { BankWithdrawal } from './accounts/bank-withdrawal.entity.js';
import { BankCheck } from './verification/bank-check.entity.js';
import { BankMismatch } from './verification/bank-mismatch.entity.js';

const ofAccount = (rows: SelectQueryBuilder<ObjectLiteral>): SelectQueryBuilder<ObjectLiteral> =>
  rows.innerJoin(BankAccountRow, 'a', 'a.id = t.accountId').where('a.userId = :userId');

/** An account belongs to the user once the names of the user, the bank and the PAN match. */
const shownAccount = (row: UserRow): UserRow =>
  row['state'] === 'VERIFIED' && row['is_compared'] === true && row['name_review'] !== 'WAITING'
    ? row
    : withheld(row, 'name_at_bank', 'name_match');

/** In the order of deletion: referring tables first. */
export const BANKING_USER_DATA: readonly UserTable[] = [
  {
    entity: BankSync,
    holds: 'registrations of bank accounts at issuers, and the partners in whose apps they were given',
    ofUser: ofAccount,
    isKyc: true,
  },
  {
    entity: BankWithdrawal,
    holds: 'withdrawals of bank accounts from issuers',
    ofUser: ofAccount,
    isKyc: true,
  },
  {
    entity: BankAccountRow,
    holds: 'bank accounts, claimed names and names at the bank, their similarity',
    objects: ['account', 'holder'],
    shown: shownAccount,
    isKyc: true,
  },
  { entity: BankCheck, holds: 'times of bank verifications in the last days' },
  {
    entity: BankMismatch,
    holds: 'times of mismatches with the name at the bank in the last days',
    kept: 'limits guesses at the name of the holder of an account; contains only ids, times and a keyed hash of the account number; each is deleted a day later',
  },
];
