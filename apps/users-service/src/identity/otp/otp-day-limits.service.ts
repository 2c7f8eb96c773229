import { Injectable, Logger } from '@nestjs/common';
import { isDatabaseUnavailable } from '@fd/platform';
import type { EntityManager } from 'typeorm';
import { KeyedHash } from '../../core/index.js';
import type { OtpSubject } from './otp-code.js';
import { type DayLimits, type DayPermit, type Moment, OtpCountsRepository } from './otp-counts.repository.js';
import { OTP_POLICY } from './otp.policy.js';

/** A send waits for its providers too: it gives PostgreSQL no more than this. */
const PATIENCE_MS = 300;

const LIMITS: DayLimits = { maxSends: OTP_POLICY.maxSendsPerDay, maxWrongChecks: OTP_POLICY.maxWrongPerDay };

/**
 * The limits of a day once more, in PostgreSQL: Redis decides, and this holds what Redis would not if it had been
 * emptied or had failed over. Who asks for a code does not need PostgreSQL; nothing is said of a code without it.
 */
@Injectable()
export class OtpDayLimits {
  private readonly logger = new Logger(OtpDayLimits.name);

  constructor(
    private readonly counts: OtpCountsRepository,
    private readonly hash: KeyedHash,
  ) {}

  /** Counts a send that Redis has counted; granted also when PostgreSQL is away. */
  async countSend(subject: OtpSubject, at: Date): Promise<DayPermit> {
    const permit = await this.ifThere(this.counts.countSend(this.moment(subject, at), LIMITS));
    return permit ?? { isGranted: true, at };
  }

  async uncountSend(subject: OtpSubject, at: Date): Promise<void> {
    await this.ifThere(this.counts.uncountSend(this.moment(subject, at)));
  }

  /** Counts a wrong check before anybody is told of it. */
  async countWrong(subject: OtpSubject, at: Date): Promise<DayPermit> {
    return this.counts.countWrong(this.moment(subject, at), LIMITS);
  }

  /** Whether a right check may count; if so, the counts start anew with the transaction. */
  async startAnew(manager: EntityManager, subject: OtpSubject, at: Date): Promise<DayPermit> {
    return this.counts.startAnew(manager, this.moment(subject, at), LIMITS);
  }

  private moment({ purpose, value, userId = '' }: OtpSubject, at: Date): Required<Moment> {
    return { subject: this.hash.of(`otp-${purpose}`, `${userId}\u0000${value}`), at };
  }

  /** What was asked for, or undefined when PostgreSQL is away or does not answer soon. */
  private async ifThere<T>(asked: Promise<T>): Promise<T | undefined> {
    let timer: NodeJS.Timeout | undefined;
    const tooLate = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => resolve(undefined), PATIENCE_MS);
    });
    try {
      return await Promise.race([asked, tooLate]);
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error;
      this.logger.warn({ msg: 'a send is counted in Redis only', reason: (error as Error).message });
      return undefined;
    } finally {
      clearTimeout(timer);
    }
  }
}
