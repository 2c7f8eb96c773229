import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { OtpTestRule } from '../config/otp-test-rules.js';
import { OtpCodes, type OtpSubject } from './otp-code.js';
import { OTP_POLICY, type OtpPolicy } from './otp.policy.js';
import { OtpStore } from './otp.store.js';

/** When a code is good. */
export interface CodeValidity {
  readonly validFrom: Date;
  readonly expiresAt: Date;
}

/** A code that was counted and is to be delivered now. */
export interface IssuedCode extends CodeValidity {
  readonly sendId: string;
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

export type CheckDecision =
  | { readonly outcome: 'right'; readonly checkId: string; readonly validity: CodeValidity }
  | { readonly outcome: 'wrong'; readonly triesLeft: number }
  | { readonly outcome: 'none' }
  | { readonly outcome: 'exhausted'; readonly retryAfterSeconds: number };

/**
 * One-time codes for any channel: decides what may be sent and whether a code is right. Knows neither HTTP nor
 * who delivers. Fails when Redis is away: without its counts no code may be sent or compared.
 */
@Injectable()
export class OtpService {
  private readonly policy: OtpPolicy = OTP_POLICY;

  constructor(
    private readonly store: OtpStore,
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
    return {
      outcome: 'issued',
      issued: {
        sendId,
        code: codeOf(counted.nonce),
        attemptsUsed: counted.used,
        attemptsLeft: counted.left,
        ...this.validity(subject, counted.expiresAtMs),
        validForSeconds: Math.floor(counted.leftMs / 1_000),
        retryAfterSeconds: counted.waitMs === 0 ? 0 : wholeSeconds(counted.waitMs),
      },
    };
  }

  /** Takes back the count of a send that every provider refused. */
  async withdraw(subject: OtpSubject, sendId: string): Promise<void> {
    await this.store.uncountSend(this.codes.key(subject), sendId);
  }

  /** Checks a code; a right one is used up by this call, and the subject's counters start anew. */
  async check(subject: OtpSubject, code: string): Promise<CheckDecision> {
    const checkId = randomBytes(12).toString('base64url');
    const fingerprints = this.codes.fingerprints(subject, code);
    const checked = await this.store.check(this.codes.key(subject), checkId, fingerprints, this.policy);
    switch (checked.outcome) {
      case 'right':
        return { outcome: 'right', checkId, validity: this.validity(subject, checked.expiresAtMs) };
      case 'paused':
      case 'dead':
        return { outcome: 'exhausted', retryAfterSeconds: wholeSeconds(checked.waitMs) };
      case 'wrong':
      case 'none':
        return checked;
    }
  }

  /** Makes a right code usable again, when what it was for could not be done. */
  async restore(subject: OtpSubject, checkId: string): Promise<void> {
    await this.store.undo(this.codes.key(subject), checkId);
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
