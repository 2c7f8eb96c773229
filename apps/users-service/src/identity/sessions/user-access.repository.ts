import type { Database, Transaction } from '@fd/platform';
import type { EntityManager } from 'typeorm';
import { type AuditAction, type AuditTrail, OpenCalls } from '../../core/index.js';
import { END_SESSIONS_OF_PARTNER, ENDED_AT_ONCE, isOpen } from './sessions.queries.js';

/**
 * Blocks users and ends sessions, for operators. Takes effect on all replicas at once, because each call reads its
 * session.
 */
export class UserAccess {
  constructor(
    private readonly database: Database,
    private readonly audit: AuditTrail,
  ) {}

  /** @returns how many open sessions it ended; undefined: no such user */
  async endSessions(userId: string, reason: string): Promise<number | undefined> {
    return this.change(userId, async (transaction) => {
      const count = await endAll(transaction, userId, 'OPERATOR');
      await this.record(transaction, 'SESSIONS_ENDED', userId, reason, count > 0);
      return count;
    });
  }

  /** Ends all sessions and refuses logins. @returns how many sessions it ended; undefined: no such user */
  async block(userId: string, reason: string): Promise<number | undefined> {
    return this.change(userId, async (transaction) => {
      const changed = await transaction.execute(
        'UPDATE onboarding.users SET blocked_at = now() WHERE id = $1 AND blocked_at IS NULL',
        [userId],
      );
      const count = await endAll(transaction, userId, 'BLOCKED');
      await this.record(transaction, 'USER_BLOCKED', userId, reason, changed > 0);
      return count;
    });
  }

  /**
   * Lets a user log in again, and lets the user's calls to providers begin.
   * @returns whether the user was blocked; undefined: no such user
   */
  async unblock(userId: string, reason: string): Promise<boolean | undefined> {
    return this.change(userId, async (transaction) => {
      const changed = await transaction.execute(
        'UPDATE onboarding.users SET blocked_at = NULL WHERE id = $1 AND blocked_at IS NOT NULL',
        [userId],
      );
      if (changed > 0) await new OpenCalls(this.database, this.audit).restartUnsent(userId, transaction);
      await this.record(transaction, 'USER_UNBLOCKED', userId, reason, changed > 0);
      return changed > 0;
    });
  }

  private async change<T>(
    userId: string,
    work: (transaction: Transaction) => Promise<T>,
  ): Promise<T | undefined> {
    return this.database.transaction(async (transaction) => {
      // mutually exclusive with running logins: see OPEN_SESSION
      const [user] = await transaction.query<object[]>(
        'SELECT FROM onboarding.users WHERE id = $1 FOR UPDATE',
        [userId],
      );
      return user && work(transaction);
    });
  }

  private async record(
    transaction: Transaction,
    action: AuditAction,
    subject: string,
    code: string,
    isChange: boolean,
  ): Promise<void> {
    const outcome = isChange ? 'OK' : 'REPEATED';
    await this.audit.record(transaction, { action, subject, code, outcome });
  }
}

/** Ends the open sessions of a disabled partner, which gets no new ones; returns how many. */
export async function endSessionsOfPartner(manager: EntityManager, partnerId: string): Promise<number> {
  let count = 0;
  for (let last: string | null = null; ;) {
    const ended: { id: string }[] = await END_SESSIONS_OF_PARTNER.rows(manager, { partnerId, last });
    count += ended.length;
    if (ended.length < ENDED_AT_ONCE) return count;
    last = ended
      .map(({ id }) => id)
      .sort()
      .at(-1)!;
  }
}

async function endAll(
  transaction: Transaction,
  userId: string,
  reason: 'OPERATOR' | 'BLOCKED',
): Promise<number> {
  return transaction.execute(
    `UPDATE onboarding.sessions SET ended_at = now(), end_reason = $2 WHERE user_id = $1 AND ${isOpen()}`,
    [userId, reason],
  );
}
