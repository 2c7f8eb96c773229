import type { Behaviours, Fault } from '../../magic/magic-value.js';
import { after } from '../../http/india-time.js';
import type { Holder } from '../holder.js';

export const OTP_LIFE_SECONDS = 600;
const REPEATABLE_SECONDS = 600;
const MAX_WRONG = 5;

export interface AadhaarResult {
  readonly reference_id: string;
  readonly last_four: string;
  readonly holder: Holder;
}

/** A code that was sent, and its outcome so far. */
export interface AadhaarTransaction {
  readonly id: string;
  readonly aadhaar: string;
  readonly otp: string;
  readonly behaviour: Exclude<Behaviours['aadhaar'], Fault> | undefined;
  readonly expiresAt: Date;
  wrong: number;
  verified: { readonly at: Date; readonly result: AadhaarResult } | null;
}

type OtpVerdict = 'right' | 'wrong' | 'over';

/**
 * Checks a code, and counts a wrong one.
 * @returns `over` when the transaction has expired, was used, or has had too many wrong codes
 */
export function tryOtp(transaction: AadhaarTransaction, otp: string, now: Date): OtpVerdict {
  const { verified } = transaction;
  // a caller that missed the first answer repeats the call
  if (verified)
    return otp === transaction.otp && now < after(verified.at, REPEATABLE_SECONDS) ? 'right' : 'over';
  if (transaction.behaviour === 'dead_code') return 'over';
  if (now >= transaction.expiresAt || transaction.wrong >= MAX_WRONG) return 'over';
  if (otp === transaction.otp) return 'right';
  transaction.wrong += 1;
  return 'wrong';
}
