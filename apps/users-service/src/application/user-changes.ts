import { Injectable } from '@nestjs/common';
import { remainingMs } from '@fd/envelope';
import { GeneralErrors } from '@fd/errors';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';

/** Longest commit; with less time left before the deadline, nothing is committed. */
const COMMIT_RESERVE_MS = 200;

/** Transactions that change what a user has declared, one after another for each user. */
@Injectable()
export class UserChanges {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** @throws GeneralErrors.unavailable when too little time is left to commit */
  async transaction<T>(userId: string, work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return this.dataSource.transaction(async (manager) => {
      // rows that refer to the user can still be written meanwhile
      await manager.query('SELECT 1 FROM onboarding.users WHERE id = $1 FOR NO KEY UPDATE', [userId]);
      const result = await work(manager);
      // a client that is told 503 must not find it done: a repeat would add the same nominee again
      if (remainingMs() < COMMIT_RESERVE_MS) throw GeneralErrors.unavailable();
      return result;
    });
  }
}
