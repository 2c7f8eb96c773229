import { Injectable } from '@nestjs/common';
import { type DayLimits, OtpCountsRepository } from '../otp/otp-counts.repository.js';
import { OTP_POLICY } from '../otp/otp.policy.js';
import { KeyedHash } from '../../core/index.js';
import { MAX_MAILS_PER_DAY } from './email.policy.js';

export type MailPermit =
  | { readonly isGranted: true; readonly at: Date }
  | { readonly isGranted: false; readonly retryAfterSeconds: number };

const LIMITS: DayLimits = { maxSends: MAX_MAILS_PER_DAY, maxWrongChecks: OTP_POLICY.maxWrongPerDay };

/** How many mails each user has caused, to whatever addresses. */
@Injectable()
export class MailBudget {
  constructor(
    private readonly counts: OtpCountsRepository,
    private readonly hash: KeyedHash,
  ) {}

  /** Counts a mail before it is sent, if there is one left. */
  async take(userId: string): Promise<MailPermit> {
    const permit = await this.counts.countSend({ subject: this.subjectOf(userId) }, LIMITS);
    if (permit.isGranted) return permit;
    return { isGranted: false, retryAfterSeconds: Math.ceil(permit.waitMs / 1_000) };
  }

  /** Takes a mail back that cannot have been sent. */
  async giveBack(userId: string, at: Date): Promise<void> {
    await this.counts.uncountSend({ subject: this.subjectOf(userId), at });
  }

  private subjectOf(userId: string): Buffer {
    return this.hash.of('otp-mails', userId);
  }
}
