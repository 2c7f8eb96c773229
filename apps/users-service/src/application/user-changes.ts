import { Injectable } from '@nestjs/common';
import { remainingMs } from '@fd/envelope';
import { GeneralErrors } from '@fd/errors';
import { Database, type Transaction } from '@fd/platform';

/** Longest commit; with less time left before the deadline, nothing is committed. */
const COMMIT_RESERVE_MS = 200;

/** Transactions that change what a user has declared, one after another for each user. */
@Injectable()
export class UserChanges {
  constructor(private readonly database: Database) {}

  /** @throws GeneralErrors.unavailable when too little time is left to commit */
  async transaction<T>(userId: string, work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.database.transaction(async (transaction) => {
      // rows that refer to the user can still be written meanwhile
      await transaction.query('SELECT 1 FROM onboarding.users WHERE id = $1 FOR NO KEY UPDATE', [userId]);
      const result = await work(transaction);
      // a client that is told 503 must not find it done: a repeat would add the same nominee again
      if (remainingMs() < COMMIT_RESERVE_MS) throw GeneralErrors.unavailable();
      return result;
    });
  }
}
