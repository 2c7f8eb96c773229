import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { whenTooLate } from '@fd/envelope';
import type { OtpTestRule } from '../../config/index.js';
import type { EntityManager } from 'typeorm';
import { OtpCodes, type OtpSubject } from './otp-code.js';
import type { DayPermit } from './otp-counts.repository.js';
import { OtpDayLimits } from './otp-day-limits.service.js';
import { OTP_POLICY, type OtpPolicy } from './otp.policy.js';
import { type CountedSend, OtpStore } from './otp.store.js';

/** How long an answer waits at the most for a code to be usable again. */
const RESTORE_MS = 250;

/** When a code is good. */
export interface CodeValidity {
  readonly validFrom: Date;
  readonly expiresAt: Date;
}

/** A code that was counted and is to be delivered now. */
export interface IssuedCode extends CodeValidity {
  readonly sendId: string;
  /** By the clock of Redis. */
  readonly sentAt: Date;
  readonly code: string;
  /** Sends in the window before this one: 0 on the first. */
  readonly attemptsUsed: number;
  readonly attemptsLeft: number;
  readonly validForSeconds: number;
  /** Until the next send is accepted; 0: now. */
  readonly retryAfterSeconds: number;
}

export type SendDecision =
  | { readonly outcome: 'issued'; readonly issued: IssuedCode }
  | { readonly outcome: 'paused' | 'exhausted'; readonly retryAfterSeconds: number };

/** A code that was right: it is consumed, unless what it is for fails. */
export interface RightCheck {
  readonly outcome: 'right';
  readonly checkId: string;
  /** By the clock of Redis. */
  readonly checkedAt: Date;
  readonly validity: CodeValidity;
}

export type CheckDecision =
  | RightCheck
  | { readonly outcome: 'wrong'; readonly triesLeft: number }
  | { readonly outcome: 'none' }
  | { readonly outcome: 'exhausted'; readonly retryAfterSeconds: number };

/**
 * One-time codes for any channel: decides what may be sent and whether a code is right. Knows neither HTTP nor
 * who delivers. Fails when Redis is away: without its counts no code may be sent or compared. PostgreSQL counts once
 * more what a day may have.
 */
@Injectable()
export class OtpService {
  private readonly policy: OtpPolicy = OTP_POLICY;

  constructor(
    private readonly store: OtpStore,
    private readonly day: OtpDayLimits,
    private readonly codes: OtpCodes,
    private readonly testRules: readonly OtpTestRule[],
  ) {}

  async issue(subject: OtpSubject): Promise<SendDecision> {
    const fixedCode = this.rulesFor(subject).find(({ code }) => code !== undefined)?.code;
    const nonce = this.codes.newNonce();
    const codeOf = (fromNonce: string): string => fixedCode ?? this.codes.derive(subject, fromNonce);
    const sendId = randomBytes(12).toString('base64url');
    const counted = await this.store.countSend(
      this.codes.key(subject),
      sendId,
      {
        nonce,
        fingerprint: this.codes.fingerprints(subject, codeOf(nonce))[0]!,
        lifeMs: this.lifeMs(subject),
        secretIds: this.codes.secretIds,
      },
      this.policy,
    );
    if (counted.outcome !== 'counted') {
      return { outcome: counted.outcome, retryAfterSeconds: wholeSeconds(counted.waitMs) };
    }
    const issued = this.issued(subject, sendId, codeOf(counted.nonce), counted);
    const permit = await this.day.countSend(subject, issued.sentAt);
    return permit.isGranted ? { outcome: 'issued', issued } : this.takeBack(subject, sendId, permit);
  }

  /** Takes back the count of a send that every provider refused. */
  async withdraw(subject: OtpSubject, { sendId, sentAt }: IssuedCode): Promise<void> {
    await this.store.uncountSend(this.codes.key(subject), sendId);
    await this.day.uncountSend(subject, sentAt);
  }

  /** Checks a code; a right one is used up by this call, and the subject's counters start anew. */
  async check(subject: OtpSubject, code: string): Promise<CheckDecision> {
    const checkId = randomBytes(12).toString('base64url');
    const fingerprints = this.codes.fingerprints(subject, code);
    const checked = await this.store.check(this.codes.key(subject), checkId, fingerprints, this.policy);
    switch (checked.outcome) {
      case 'right':
        return {
          outcome: 'right',
          checkId,
          checkedAt: new Date(checked.atMs),
          validity: this.validity(subject, checked.expiresAtMs),
        };
      case 'wrong':
        return this.wrong(subject, new Date(checked.atMs), checked.triesLeft);
      case 'paused':
      case 'dead':
        return { outcome: 'exhausted', retryAfterSeconds: wholeSeconds(checked.waitMs) };
      case 'none':
        return checked;
    }
  }

  /**
   * Lets a right check count, in the transaction of what it is for. To be called before the commit.
   * @returns seconds to wait when the wrong checks of the day are used up, or 0
   */
  async consume(manager: EntityManager, subject: OtpSubject, check: RightCheck): Promise<number> {
    const permit = await this.day.startAnew(manager, subject, check.checkedAt);
    if (permit.isGranted) return 0;
    await this.pause(subject, permit.waitMs);
    return wholeSeconds(permit.waitMs);
  }

  /**
   * Runs what a right code is for. When that fails, or takes so long that the client gets 503, the person did nothing
   * wrong: the same code works again by the time they hear of it.
   * @param work has no effect when it fails; takes back itself what it has done after the client got 503
   * @param isDeserved whether a code is used up by a failure all the same
   */
  async consumeFor<T>(
    subject: OtpSubject,
    { checkId }: RightCheck,
    work: () => Promise<T>,
    isDeserved: (error: unknown) => boolean = () => false,
  ): Promise<T> {
    const key = this.codes.key(subject);
    const restore = (): Promise<void> => this.store.undo(key, checkId);
    const stay = whenTooLate(() => void restore());
    try {
      return await work();
    } catch (error) {
      // not for longer than an answer may take: it goes on behind it
      if (!isDeserved(error)) await Promise.race([restore(), sleep(RESTORE_MS, undefined, { ref: false })]);
      throw error;
    } finally {
      stay();
    }
  }

  private issued(
    subject: OtpSubject,
    sendId: string,
    code: string,
    counted: Extract<CountedSend, { outcome: 'counted' }>,
  ): IssuedCode {
    return {
      sendId,
      sentAt: new Date(counted.expiresAtMs - counted.leftMs),
      code,
      attemptsUsed: counted.used,
      attemptsLeft: counted.left,
      ...this.validity(subject, counted.expiresAtMs),
      validForSeconds: Math.floor(counted.leftMs / 1_000),
      retryAfterSeconds: counted.waitMs === 0 ? 0 : wholeSeconds(counted.waitMs),
    };
  }

  /** For a send that Redis would not have counted, had it not lost what it knew. */
  private async takeBack(
    subject: OtpSubject,
    sendId: string,
    { full, waitMs }: Extract<DayPermit, { isGranted: false }>,
  ): Promise<SendDecision> {
    await this.store.uncountSend(this.codes.key(subject), sendId);
    if (full === 'wrong_checks') await this.pause(subject, waitMs);
    const outcome = full === 'wrong_checks' ? 'paused' : 'exhausted';
    return { outcome, retryAfterSeconds: wholeSeconds(waitMs) };
  }

  private async wrong(subject: OtpSubject, at: Date, triesLeft: number): Promise<CheckDecision> {
    const permit = await this.day.countWrong(subject, at);
    if (permit.isGranted) return { outcome: 'wrong', triesLeft };
    await this.pause(subject, permit.waitMs);
    return { outcome: 'exhausted', retryAfterSeconds: wholeSeconds(permit.waitMs) };
  }

  /** From now on Redis refuses by itself, and right and wrong codes alike. */
  private async pause(subject: OtpSubject, waitMs: number): Promise<void> {
    await this.store.pause(this.codes.key(subject), waitMs);
  }

  private rulesFor({ value }: OtpSubject): OtpTestRule[] {
    return this.testRules.filter(({ recipients }) => recipients.test(value));
  }

  private lifeMs(subject: OtpSubject): number {
    const rule = this.rulesFor(subject).find(({ ttlSeconds }) => ttlSeconds !== undefined);
    return (rule?.ttlSeconds ?? this.policy.lifeSeconds) * 1_000;
  }

  private validity(subject: OtpSubject, expiresAtMs: number): CodeValidity {
    return { validFrom: new Date(expiresAtMs - this.lifeMs(subject)), expiresAt: new Date(expiresAtMs) };
  }
}

/** At least one: a client told to wait 0 seconds would not wait. */
function wholeSeconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1_000));
}
