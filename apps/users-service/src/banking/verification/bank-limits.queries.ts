import { statement } from '@fd/platform';

/** Locks an account number for all users until the transaction ends. Raw: TypeORM has no advisory locks. */
export const LOCK_ACCOUNT_NUMBER = statement(
  { accountIndex: 'bytea' },
  `SELECT FROM pg_advisory_xact_lock(hashtextextended('bank_mismatches ' || encode(:accountIndex, 'hex'), 0))`,
);
