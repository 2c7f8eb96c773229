import { Injectable } from '@nestjs/common';
import { remainingMs, timeLimit } from '@fd/envelope';
import { GeneralErrors } from '@fd/errors';
import { Clock } from '@fd/platform';
import { DataSource, type EntityManager } from 'typeorm';
import { CallsOfUsers } from '../core/index.js';
import { UsersRepository } from '../identity/index.js';

/** Time in milliseconds that a commit may take; with less time left before the deadline, nothing is committed. */
const COMMIT_RESERVE_MS = timeLimit(200);

/** Maximum of changes by a user in a day and replica: each is recorded for years. */
const MAX_PER_DAY = 300;

/** Serialises changes of a user's declarations. */
@Injectable()
export class UserChanges {
  private readonly ofUsers = new CallsOfUsers(MAX_PER_DAY);

  constructor(
    private readonly dataSource: DataSource,
    private readonly users: UsersRepository,
    private readonly clock: Clock,
  ) {}

  /**
   * @throws GeneralErrors.tooManyRequests when the user has made too many changes today;
   * GeneralErrors.unavailable when too little time is left to commit
   */
  async transaction<T>(userId: string, work: (tx: EntityManager) => Promise<T>): Promise<T> {
    const nowMs = this.clock.now().getTime();
    const retryAfterSeconds = this.ofUsers.secondsUntilNext(userId, nowMs);
    if (retryAfterSeconds > 0) throw GeneralErrors.tooManyRequests({ retryAfterSeconds });
    const changed = await this.dataSource.transaction(async (tx) => {
      await this.users.lock(tx, userId);
      const result = await work(tx);
      // after a 503 nothing may be stored, or a repeat would add the same nominee again
      if (remainingMs() < COMMIT_RESERVE_MS) throw GeneralErrors.unavailable();
      return result;
    });
    this.ofUsers.count(userId, nowMs);
    return changed;
  }
}
