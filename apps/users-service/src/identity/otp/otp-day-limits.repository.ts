import { Injectable, Logger } from '@nestjs/common';
import { within, timeLimit } from '@fd/envelope';
import { Clock, isDatabaseUnavailable } from '@fd/platform';
import { EntityManager } from 'typeorm';
import { KeyedHash, type OldRows } from '../../core/index.js';
import type { OtpSubject } from './otp-code.js';
import { OtpCount } from './otp-count.entity.js';
import {
  CLEAR_WRONG_CHECKS,
  COUNT_SEND,
  COUNT_WRONG_CHECK,
  type List,
  UNCOUNT_SEND,
  UNTIL_ROOM,
} from './otp-day-limits.queries.js';
import { MAX_MAILS_PER_DAY, OTP_POLICY } from './otp.policy.js';

type DayPermit =
  | { readonly isGranted: true; readonly at: Date }
  | { readonly isGranted: false; readonly full: List; readonly waitMs: number };

interface Counts {
  readonly index: Buffer;
  /** Null: PostgreSQL's time. */
  readonly at: Date | null;
  readonly aheadSeconds: number;
  readonly maxSends: number;
  readonly maxWrong: number;
}

const OTP_LIMITS = { maxSends: OTP_POLICY.maxSendsPerDay, maxWrong: OTP_POLICY.maxWrongPerDay };
const MAIL_LIMITS = { ...OTP_LIMITS, maxSends: MAX_MAILS_PER_DAY };

/** Timeout of PostgreSQL for a send, which also waits for its providers. */
const TIMEOUT_MS = timeLimit(300);

export const OLD_OTP_COUNTS: OldRows = {
  name: 'old counts of codes',
  entity: OtpCount,
  select: (rows) => rows.where("t.lastAt <= now() - interval '24 hours'"),
};

/**
 * A second copy of the daily limits, in PostgreSQL: Redis decides, and this copy survives a Redis that was emptied or
 * failed over. Sending a code works without PostgreSQL; checking a code does not.
 *
 * One row for each subject, found by a keyed hash. Times come from Redis where it counts too, so that both agree on the end of a day.
 */
@Injectable()
export class OtpDayLimits {
  private readonly logger = new Logger(OtpDayLimits.name);

  constructor(
    private readonly manager: EntityManager,
    private readonly clock: Clock,
    private readonly hash: KeyedHash,
  ) {}

  /** Counts a send that Redis has counted; allowed also without PostgreSQL. */
  async countSend(subject: OtpSubject, at: Date): Promise<DayPermit> {
    const permit = await this.ifAvailable(this.granted(COUNT_SEND, this.countsOf(subject, at)));
    return permit ?? { isGranted: true, at };
  }

  async uncountSend(subject: OtpSubject, at: Date): Promise<void> {
    await this.ifAvailable(UNCOUNT_SEND.run(this.manager, { index: this.indexOf(subject), at }));
  }

  /** Counts a user's mail before it is sent, over all addresses. */
  async countMail(userId: string): Promise<DayPermit> {
    return this.granted(COUNT_SEND, this.mailsOf(userId));
  }

  async uncountMail(userId: string, at: Date): Promise<void> {
    await UNCOUNT_SEND.run(this.manager, { index: this.mailsOf(userId).index, at });
  }

  /**
   * Counts a wrong check. At the daily limit it counts nothing, and the caller must not reveal that the check was wrong.
   */
  async countWrong(subject: OtpSubject, at: Date): Promise<DayPermit> {
    return this.granted(COUNT_WRONG_CHECK, this.countsOf(subject, at));
  }

  /** Clears the wrong checks after a correct one. @throws an `isRowMissing` if the daily limit is used up: then it must not count */
  async startAnew(tx: EntityManager, subject: OtpSubject, at: Date): Promise<void> {
    await CLEAR_WRONG_CHECKS.rows(tx, this.countsOf(subject, at));
  }

  /** Milliseconds until a subject whose wrong checks are used up may check a code again. */
  async waitMsOf(subject: OtpSubject, at: Date): Promise<number> {
    const [waits] = await UNTIL_ROOM.rows(this.manager, this.countsOf(subject, at));
    return waits?.wrongChecks ?? 1;
  }

  private async granted(
    counting: typeof COUNT_SEND | typeof COUNT_WRONG_CHECK,
    counts: Counts,
  ): Promise<DayPermit> {
    const [counted] = await counting.rows(this.manager, counts);
    return counted ? { isGranted: true, at: counted.at } : this.refusal(counts);
  }

  /** The exhausted limit and its end: wrong checks first, because they stop sends and checks. */
  private async refusal(counts: Counts): Promise<DayPermit> {
    const [waits] = await UNTIL_ROOM.rows(this.manager, counts);
    const wrongWait = waits?.wrongChecks ?? 0;
    if (wrongWait > 0) return { isGranted: false, full: 'wrong_checks', waitMs: wrongWait };
    return { isGranted: false, full: 'sends', waitMs: Math.max(1, waits?.sends ?? 1) };
  }

  indexOf({ purpose, value, userId = '' }: OtpSubject): Buffer {
    return this.hash.digest(`otp-${purpose}`, `${userId}\u0000${value}`);
  }

  private countsOf(subject: OtpSubject, at: Date): Counts {
    return { index: this.indexOf(subject), at, aheadSeconds: this.clock.aheadSeconds, ...OTP_LIMITS };
  }

  private mailsOf(userId: string): Counts {
    const index = this.hash.digest('otp-mails', userId);
    return { index, at: null, aheadSeconds: this.clock.aheadSeconds, ...MAIL_LIMITS };
  }

  /** The result, or undefined if PostgreSQL is down or slow. */
  private async ifAvailable<T>(query: Promise<T>): Promise<T | undefined> {
    try {
      return await within(TIMEOUT_MS, query);
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error;
      this.logger.warn({ msg: 'a send is counted in Redis only', reason: (error as Error).message });
      return undefined;
    }
  }
}
