import { type EntityManager, IsNull, Not, type Repository } from 'typeorm';
import type { AuditAction, AuditTrail, OpenCalls } from '../../core/index.js';
import { User } from '../users/user.entity.js';
import { Session } from './session.entity.js';
import { END_SESSIONS_OF_PARTNER, ENDED_AT_ONCE, isOpen } from './sessions.queries.js';

/**
 * Blocks users and ends sessions, for operators. Takes effect on all replicas at once, because each call reads its
 * session.
 */
export class UserAccess {
  constructor(
    private readonly rows: Repository<User>,
    private readonly audit: AuditTrail,
    private readonly calls: OpenCalls,
    /** Adds events for the partners of a user whom an operator has blocked. */
    private readonly publishBlocked: (tx: EntityManager, userId: string) => Promise<void>,
  ) {}

  async openSessions(userId: string): Promise<{ count: number; lastUsedAt: Date | null }> {
    const open = await this.rows.manager
      .createQueryBuilder(Session, 's')
      .select('count(*)::int', 'count')
      .addSelect('max(s.lastUsedAt)', 'lastUsedAt')
      .where(`s.userId = :userId AND ${isOpen()}`, { userId })
      .getRawOne<{ count: number; lastUsedAt: Date | null }>();
    return open!;
  }

  /** @returns how many open sessions it ended; undefined: no such user */
  async endSessions(userId: string, reason: string): Promise<number | undefined> {
    return this.change(userId, async (tx) => {
      const count = await endAll(tx, userId, 'OPERATOR');
      await this.record(tx, 'SESSIONS_ENDED', userId, reason, count > 0);
      return count;
    });
  }

  /** Ends all sessions and refuses logins. @returns how many sessions it ended; undefined: no such user */
  async block(userId: string, reason: string): Promise<number | undefined> {
    return this.change(userId, async (tx) => {
      const { affected } = await tx.update(
        User,
        { id: userId, blockedAt: IsNull() },
        { blockedAt: () => 'now()' },
      );
      const count = await endAll(tx, userId, 'BLOCKED');
      await this.record(tx, 'USER_BLOCKED', userId, reason, affected === 1);
      if (affected === 1) await this.publishBlocked(tx, userId);
      return count;
    });
  }

  /**
   * Lets a user log in again, and lets the user's calls to providers begin.
   * @returns whether the user was blocked; undefined: no such user
   */
  async unblock(userId: string, reason: string): Promise<boolean | undefined> {
    return this.change(userId, async (tx) => {
      const { affected } = await tx.update(
        User,
        { id: userId, blockedAt: Not(IsNull()) },
        { blockedAt: null },
      );
      const user = tx.createQueryBuilder(User, 'u').select('u.id').where('u.id = :unblocked');
      if (affected === 1) await this.calls.restartUnsent(tx, user.setParameter('unblocked', userId));
      await this.record(tx, 'USER_UNBLOCKED', userId, reason, affected === 1);
      return affected === 1;
    });
  }

  private async change<T>(userId: string, work: (tx: EntityManager) => Promise<T>): Promise<T | undefined> {
    return this.rows.manager.transaction(async (tx) => {
      // mutually exclusive with running logins: see HOLD_USER
      const lock = { mode: 'pessimistic_write' } as const;
      const user = await tx.findOne(User, { select: { id: true }, where: { id: userId }, lock });
      return user ? work(tx) : undefined;
    });
  }

  private async record(
    tx: EntityManager,
    action: AuditAction,
    subject: string,
    code: string,
    isChange: boolean,
  ): Promise<void> {
    const outcome = isChange ? 'OK' : 'REPEATED';
    await this.audit.record(tx, { action, subject, code, outcome });
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

async function endAll(tx: EntityManager, userId: string, endReason: 'OPERATOR' | 'BLOCKED'): Promise<number> {
  const { affected } = await tx
    .createQueryBuilder()
    .update(Session)
    .set({ endedAt: () => 'now()', endReason })
    .where(`user_id = :userId AND ${isOpen()}`, { userId })
    .execute();
  return affected ?? 0;
}
