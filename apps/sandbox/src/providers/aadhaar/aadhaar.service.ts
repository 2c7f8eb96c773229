import { createHash, randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '@fd/platform';
import { v7 as uuidv7 } from 'uuid';
import { Effects } from '../../effects/effects.service.js';
import { Inbox } from '../../inbox/inbox.store.js';
import { BoundedMap } from '../../http/bounded-map.js';
import { after, indiaTime } from '../../http/india-time.js';
import { Refusal } from '../../http/refusal.js';
import { type ExpectedPerson, holderFor } from '../holder.js';
import {
  type AadhaarResult,
  type AadhaarTransaction,
  OTP_LIFE_SECONDS,
  tryOtp,
} from './aadhaar-transaction.js';

const RESEND_SECONDS = 30;

export interface OtpSent {
  readonly transaction_id: string;
  readonly masked_mobile: string;
  readonly expires_at: string;
  readonly resend_after_seconds: number;
}

/** Sends codes to the holders of Aadhaar numbers, and verifies holders by their codes. */
@Injectable()
export class AadhaarService {
  private readonly transactions = new BoundedMap<string, AadhaarTransaction>();
  private readonly resendAt = new BoundedMap<string, Date>();

  constructor(
    private readonly effects: Effects,
    private readonly inbox: Inbox,
    private readonly clock: Clock,
  ) {}

  /**
   * Sends one code for each idempotency key.
   * @throws Refusal `no_mobile_linked`; `too_soon` after another code for the same number
   */
  sendOtp(
    aadhaar: string,
    behaviour: AadhaarTransaction['behaviour'],
    idempotencyKey: string | undefined,
  ): OtpSent {
    return this.effects.once({ provider: 'aadhaar', kind: 'otp', subject: aadhaar, idempotencyKey }, () => {
      if (behaviour === 'no_mobile') {
        throw new Refusal(422, 'no_mobile_linked', 'No mobile is linked to this Aadhaar.');
      }
      this.holdResend(aadhaar);
      return this.open(aadhaar, behaviour);
    });
  }

  /**
   * Checks a code. A success is repeated for 10 minutes.
   * @throws Refusal `wrong_otp`; `expired` when the transaction is over
   */
  verifyOtp(id: string, otp: string, expected: ExpectedPerson | null): AadhaarResult {
    const now = this.clock.now();
    const transaction = this.transactions.get(id);
    if (!transaction) throw over();
    switch (tryOtp(transaction, otp, now)) {
      case 'over':
        throw over();
      case 'wrong':
        throw new Refusal(422, 'wrong_otp', 'The OTP is wrong.');
      case 'right':
        return (transaction.verified ??= { at: now, result: resultOf(transaction, expected) }).result;
    }
  }

  private holdResend(aadhaar: string): void {
    const now = this.clock.now();
    const waitMs = (this.resendAt.get(aadhaar)?.getTime() ?? 0) - now.getTime();
    if (waitMs > 0) {
      const seconds = String(Math.ceil(waitMs / 1_000));
      throw new Refusal(429, 'too_soon', 'An OTP was just sent.', { 'retry-after': seconds });
    }
    this.resendAt.set(aadhaar, after(now, RESEND_SECONDS));
  }

  private open(aadhaar: string, behaviour: AadhaarTransaction['behaviour']): OtpSent {
    const id = uuidv7();
    const otp = String(randomInt(1_000_000)).padStart(6, '0');
    const expiresAt = after(this.clock.now(), OTP_LIFE_SECONDS);
    this.transactions.set(id, { id, aadhaar, otp, behaviour, expiresAt, wrong: 0, verified: null });
    this.inbox.deliver({
      to: aadhaar,
      channel: 'sms',
      text: `${otp} is your Aadhaar OTP. Valid for 10 minutes.`,
    });
    return {
      transaction_id: id,
      masked_mobile: maskedMobileOf(aadhaar),
      expires_at: indiaTime(expiresAt),
      resend_after_seconds: RESEND_SECONDS,
    };
  }
}

/** Also the answer for an unknown transaction, which may have been dropped. */
function over(): Refusal {
  return new Refusal(410, 'expired', 'The transaction is over.');
}

function resultOf(
  { aadhaar, behaviour }: AadhaarTransaction,
  expected: ExpectedPerson | null,
): AadhaarResult {
  return {
    reference_id: uuidv7(),
    last_four: aadhaar.slice(-4),
    holder: holderFor(expected, behaviour === 'other_person' ? 'another_person' : undefined),
  };
}

/** Returns the masked mobile of a number, always the same for a number. */
function maskedMobileOf(aadhaar: string): string {
  const end = createHash('sha256').update(aadhaar).digest().readUInt32BE() % 10_000;
  return `XXXXXX${String(end).padStart(4, '0')}`;
}
