import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { whenTooLate, within, timeLimit } from '@fd/envelope';
import { type AppError, EmailErrors, type ErrorDefinition, LoginErrors } from '@fd/errors';
import { counterFromZero, isRowMissing, type KnownCounter } from '@fd/platform';
import { Registry } from 'prom-client';
import type { EntityManager } from 'typeorm';
import { OtpConfig } from '../../config/index.js';
import { recordId } from '../../core/index.js';
import { OtpAbuseLimits } from './otp-abuse-limits.js';
import { OtpCodes, type OtpSubject } from './otp-code.js';
import { OtpDayLimits } from './otp-day-limits.repository.js';
import { OTP_POLICY, wrongTry } from './otp.policy.js';
import { type CheckedCode, OtpStore } from './otp.store.js';

/** Maximum time that an answer waits for a code to be restored. */
const RESTORE_MS = timeLimit(250);

/** Errors of each purpose; limits have the seconds to wait. */
const REFUSALS = {
  login: {
    wrong: LoginErrors.otpWrong,
    none: LoginErrors.otpExpired,
    paused: LoginErrors.tooManyTries,
    exhausted: LoginErrors.tooManySends,
  },
  email: {
    wrong: EmailErrors.otpWrong,
    none: EmailErrors.otpExpired,
    paused: EmailErrors.tooManyOtps,
    exhausted: EmailErrors.tooManyOtps,
  },
};

/** Mails have no shared limits, so that their sends are never suspended. */
const SEND_OUTCOMES = {
  login: ['sent', 'refused', 'open', 'suspended', 'paused', 'exhausted'],
  email: ['taken', 'address-refused', 'failed', 'too-many-mails', 'paused', 'exhausted'],
} as const;
type SendOutcome = (typeof SEND_OUTCOMES)[OtpSubject['purpose']][number];

const CHECK_OUTCOMES = ['right', 'wrong', 'none', 'exhausted'] as const;

type OutcomeCounters<Outcome extends string> = Readonly<
  Record<OtpSubject['purpose'], KnownCounter<{ readonly outcome: Outcome }>>
>;

export interface CodeValidity {
  readonly validFrom: Date;
  readonly expiresAt: Date;
}

export interface IssuedCode extends CodeValidity {
  readonly sendId: string;
  /** By the clock of Redis. */
  readonly sentAt: Date;
  readonly code: string;
  /** Sends of this period before this one: 0 for the first. */
  readonly attemptsUsed: number;
  readonly attemptsLeft: number;
  readonly validForSeconds: number;
  /** Seconds until the next send is accepted; 0 means now. */
  readonly retryAfterSeconds: number;
}

/** A delivery that has reached nobody; `answer` is the client's error. */
export class Undelivered extends Error {
  /** @param shared whether the counts that a subject shares with others keep the send, because a provider has answered */
  constructor(
    readonly answer: unknown,
    readonly shared: 'kept' | 'undone' = 'undone',
  ) {
    super('a code was not delivered');
  }
}

/** A correct code: consumed unless its use fails. */
export interface RightCode extends CodeValidity {
  /**
   * Records the check in the transaction that uses it.
   * @throws an error that `exchange` turns into the purpose's one for too many tries, if the daily wrong checks are used up
   */
  readonly consume: (tx: EntityManager) => Promise<void>;
}

/**
 * One-time codes for any channel: decides whether a code may be sent and whether it is right. Fails while Redis is
 * away, because without its counts no code may be sent or compared. PostgreSQL counts the daily limits as well.
 */
@Injectable()
export class OtpService {
  private readonly sends: OutcomeCounters<SendOutcome>;
  private readonly checks: OutcomeCounters<CheckedCode['outcome']>;

  constructor(
    private readonly store: OtpStore,
    private readonly dayLimits: OtpDayLimits,
    private readonly abuseLimits: OtpAbuseLimits,
    private readonly codes: OtpCodes,
    private readonly config: OtpConfig,
    registry: Registry,
  ) {
    const counter = <Outcome extends string>(name: string, help: string, outcomes: readonly Outcome[]) =>
      counterFromZero(registry, {
        name,
        help,
        series: outcomes.map((outcome) => ({ outcome })),
      });
    const { login, email } = SEND_OUTCOMES;
    this.sends = {
      login: counter<SendOutcome>('otp_sends_total', 'Requests for a code, by outcome', login),
      email: counter<SendOutcome>('email_otp_sends_total', 'Requests for a code by mail, by outcome', email),
    };
    this.checks = {
      login: counter('otp_checks_total', 'Checks of a code, by outcome', CHECK_OUTCOMES),
      email: counter(
        'email_otp_checks_total',
        'Checks of a code that was mailed, by outcome',
        CHECK_OUTCOMES,
      ),
    };
  }

  /**
   * Counts a send and delivers its code: a new one, or the valid one. Undoes the count if the delivery fails.
   * @param deliver throws `Undelivered`, or any other error, if nobody has got the code
   * @throws LoginErrors.sendsSuspended, then the purpose's error for too many tries or sends; the error of the delivery
   */
  async send<T>(subject: OtpSubject, deliver: (code: IssuedCode) => Promise<T>): Promise<T> {
    const issued = await this.countInRedis(subject);
    let isCountedForDay = false;
    try {
      await this.countForDay(subject, issued.sentAt);
      isCountedForDay = true;
      return await deliver(issued);
    } catch (error) {
      const { shared, answer } =
        error instanceof Undelivered ? error : { shared: 'undone' as const, answer: error };
      await this.store.withdraw(subject, issued.sendId, shared);
      // else another send of the same millisecond would be uncounted
      if (isCountedForDay) await this.dayLimits.uncountSend(subject, issued.sentAt);
      throw answer;
    }
  }

  private async countInRedis(subject: OtpSubject): Promise<IssuedCode> {
    const sendId = newId();
    const nonce = this.codes.newNonce();
    const fingerprint = this.codes.fingerprints(subject, this.codeOf(subject, nonce))[0]!;
    const newCode = { nonce, fingerprint, lifeMs: this.lifeMs(subject) };
    const counted = await this.store.countSend(subject, sendId, newCode);
    if (counted.outcome === 'suspended') {
      this.abuseLimits.noteSuspended(counted.by);
      throw this.refusedSend(subject, 'suspended', LoginErrors.sendsSuspended, counted.waitMs);
    }
    const { outcome, waitMs } = counted;
    if (outcome !== 'counted')
      throw this.refusedSend(subject, outcome, REFUSALS[subject.purpose][outcome], waitMs);
    return {
      sendId,
      sentAt: new Date(counted.expiresAtMs - counted.leftMs),
      code: this.codeOf(subject, counted.nonce),
      attemptsUsed: counted.used,
      attemptsLeft: counted.left,
      ...this.validity(subject, counted.expiresAtMs),
      validForSeconds: Math.floor(counted.leftMs / 1_000),
      retryAfterSeconds: waitMs === 0 ? 0 : wholeSeconds(waitMs),
    };
  }

  /** Refuses what PostgreSQL refuses: Redis has lost its counts; with them it would have refused too. */
  private async countForDay(subject: OtpSubject, sentAt: Date): Promise<void> {
    const permit = await this.dayLimits.countSend(subject, sentAt);
    if (permit.isGranted) return;
    const outcome = permit.full === 'wrong_checks' ? 'paused' : 'exhausted';
    if (outcome === 'paused') await this.store.pause(subject, permit.waitMs);
    throw this.refusedSend(subject, outcome, REFUSALS[subject.purpose][outcome], permit.waitMs);
  }

  noteSend({ purpose }: OtpSubject, outcome: SendOutcome): void {
    this.sends[purpose].inc({ outcome });
  }

  /** Counts a refused request, and returns its refusal. */
  refusedSend(subject: OtpSubject, outcome: SendOutcome, error: ErrorDefinition, waitMs: number): AppError {
    this.noteSend(subject, outcome);
    return error({ retryAfterSeconds: wholeSeconds(waitMs) });
  }

  /**
   * Checks a code and runs WORK with it. A correct code is consumed; the wrong checks and the period of sends are reset.
   * If WORK fails, or takes so long that the client gets 503, the code is valid again before the answer. If the replica
   * dies, the code is valid for a repeat of the same call.
   * @param work has no effect if it fails, and undoes itself after a 503
   * @param isFinal whether a failure still consumes the code
   * @throws the purpose's error for a wrong or expired code, or too many tries
   */
  async exchange<T>(
    subject: OtpSubject,
    code: string,
    work: (rightCode: RightCode) => Promise<T>,
    isFinal: (error: unknown) => boolean = () => false,
  ): Promise<T> {
    const checkId = newId();
    const rightCode = await this.check(subject, checkId, code);
    const restore = (): Promise<void> => this.store.undo(subject, checkId);
    const keepConsumed = whenTooLate(() => void restore());
    try {
      return await work(rightCode);
    } catch (error) {
      // waits only within the time of the answer, and continues in the background
      if (!isFinal(error)) await within(RESTORE_MS, restore());
      throw error instanceof ChecksUsedUp ? await this.usedUp(subject, error) : error;
    } finally {
      keepConsumed();
    }
  }

  private async check(subject: OtpSubject, checkId: string, code: string): Promise<RightCode> {
    const { wrong, none, paused } = REFUSALS[subject.purpose];
    const checked = await this.compare(subject, checkId, code);
    this.checks[subject.purpose].inc({ outcome: checked.outcome });
    switch (checked.outcome) {
      case 'wrong':
        throw wrong(wrongTry(checked.triesLeft));
      case 'none':
        throw none();
      case 'exhausted':
        throw paused({ retryAfterSeconds: wholeSeconds(checked.waitMs) });
      case 'right':
        return this.rightCode(subject, checked);
    }
  }

  /** PostgreSQL counts a wrong check before the client gets the answer. */
  private async compare(subject: OtpSubject, checkId: string, code: string): Promise<CheckedCode> {
    const ids = { checkId, callId: recordId('code') };
    const checked = await this.store.check(subject, ids, this.codes.fingerprints(subject, code));
    if (checked.outcome !== 'wrong') return checked;
    const permit = await this.dayLimits.countWrong(subject, new Date(checked.atMs));
    if (permit.isGranted) return checked;
    // from now on Redis refuses correct and wrong codes alike
    await this.store.pause(subject, permit.waitMs);
    return { outcome: 'exhausted', waitMs: permit.waitMs };
  }

  private rightCode(subject: OtpSubject, checked: CheckedCode & { outcome: 'right' }): RightCode {
    const checkedAt = new Date(checked.atMs);
    return {
      ...this.validity(subject, checked.expiresAtMs),
      consume: (tx) => this.consume(tx, subject, checkedAt),
    };
  }

  private async consume(tx: EntityManager, subject: OtpSubject, checkedAt: Date): Promise<void> {
    try {
      await this.dayLimits.startAnew(tx, subject, checkedAt);
    } catch (error) {
      throw isRowMissing(error) ? new ChecksUsedUp(checkedAt) : error;
    }
  }

  /** The refusal, after the transaction that has failed: it would need a second connection. */
  private async usedUp(subject: OtpSubject, { checkedAt }: ChecksUsedUp): Promise<AppError> {
    const waitMs = await this.dayLimits.waitMsOf(subject, checkedAt);
    await this.store.pause(subject, waitMs);
    return REFUSALS[subject.purpose].paused({ retryAfterSeconds: wholeSeconds(waitMs) });
  }

  private codeOf(subject: OtpSubject, nonce: string): string {
    const fixed = this.config.testRules.find(
      ({ recipients, code }) => code && recipients.test(subject.value),
    );
    return fixed?.code ?? this.codes.derive(subject, nonce);
  }

  private lifeMs({ value }: OtpSubject): number {
    const ruled = this.config.testRules.filter(({ recipients }) => recipients.test(value));
    const rule = ruled.find(({ ttlSeconds }) => ttlSeconds !== undefined);
    return (rule?.ttlSeconds ?? OTP_POLICY.lifeSeconds) * 1_000;
  }

  private validity(subject: OtpSubject, expiresAtMs: number): CodeValidity {
    return { validFrom: new Date(expiresAtMs - this.lifeMs(subject)), expiresAt: new Date(expiresAtMs) };
  }
}

/** The wrong checks of the day are used up, so that a correct one must not count. */
class ChecksUsedUp extends Error {
  constructor(readonly checkedAt: Date) {
    super('the wrong checks of the day are used up');
  }
}

const newId = (): string => randomBytes(12).toString('base64url');

/** At least one second, because a client would not wait for 0. */
const wholeSeconds = (ms: number): number => Math.max(1, Math.ceil(ms / 1_000));
