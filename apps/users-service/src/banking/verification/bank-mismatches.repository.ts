import { Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import { Database, type Transaction } from '@fd/platform';
import { type CountedRows, DAY_SECONDS, fullDay } from '../../identity/index.js';
import { BankAccountsRepository, type GivenAccount } from '../accounts/bank-accounts.repository.js';

/**
 * Maximum of mismatched names within 24 hours, for a user and for an account number. Each mismatch reveals something
 * about the name of a holder who may be another person.
 */
export const MAX_MISMATCHES_PER_DAY = 5;
const COUNTED: CountedRows = { table: 'bank_mismatches', time: 'created_at', max: MAX_MISMATCHES_PER_DAY };
/** $1 user, $2 account number; null: names may be compared now. */
const WAIT = `
SELECT max(seconds) AS seconds
  FROM ((${fullDay(COUNTED)}) UNION ALL (${fullDay(COUNTED, 'account_index = $2')})) AS full_days`;
/** Bounds the time of one DELETE. */
const PURGE_BATCH = 1_000;

type NumberOfUser = Pick<GivenAccount, 'userId' | 'account' | 'ifsc'>;

/** Counts mismatched names, so that a holder's name cannot be guessed. */
@Injectable()
export class BankMismatchesRepository {
  constructor(
    private readonly database: Database,
    private readonly accounts: BankAccountsRepository,
  ) {}

  /**
   * Seconds until names of an account may be compared; 0: now. The caller has locked the user. The account number stays
   * locked for all users until the transaction ends, so that the count is exact.
   */
  async secondsUntilNext(transaction: Transaction, given: NumberOfUser): Promise<number> {
    const index = this.indexOf(given);
    await transaction.query(
      "SELECT pg_advisory_xact_lock(hashtextextended('bank_mismatches ' || encode($1, 'hex'), 0))",
      [index],
    );
    const [{ seconds }] = await transaction.query<[{ seconds: number | null }]>(WAIT, [given.userId, index]);
    return seconds ?? 0;
  }

  /** Counts one; the caller has called `secondsUntilNext` in the same transaction. */
  async count(transaction: Transaction, given: NumberOfUser): Promise<void> {
    await transaction.query(
      `INSERT INTO onboarding.bank_mismatches (id, user_id, account_index, created_at)
       VALUES ($1, $2, $3, clock_timestamp())`,
      [uuidv7(), given.userId, this.indexOf(given)],
    );
  }

  /**
   * Keyed hash of an account number and bank, independent of spelling: banks accept any branch's IFSC and drop leading
   * zeros.
   */
  private indexOf({ ifsc, account }: NumberOfUser): Buffer {
    return this.accounts.indexOf({ ifsc: ifsc.slice(0, 4), account: account.replace(/^0+/, '') });
  }

  /** Deletes a batch of expired rows; returns how many. */
  async purgeOld(): Promise<number> {
    return this.database.execute(
      `DELETE FROM onboarding.bank_mismatches WHERE id IN (
         SELECT id FROM onboarding.bank_mismatches
          WHERE created_at <= now() - make_interval(secs => $1) LIMIT $2 FOR UPDATE SKIP LOCKED)`,
      [DAY_SECONDS, PURGE_BATCH],
    );
  }
}
