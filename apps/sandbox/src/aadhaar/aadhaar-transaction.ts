import type { BehavioursOfParty, Trouble } from '../magic/magic-value.js';
import { after } from '../wire/india-time.js';

export const OTP_LIFE_SECONDS = 600;
const REPEATABLE_SECONDS = 600;
const MAX_WRONG = 5;

export interface AadhaarResult {
  readonly reference_id: string;
  readonly last_four: string;
  readonly name_match: 'YES' | 'NO';
  readonly date_of_birth_match: 'YES' | 'NO';
}

/** One code that was sent, and what became of it. */
export interface AadhaarTransaction {
  readonly id: string;
  readonly aadhaar: string;
  readonly otp: string;
  readonly behaviour: Exclude<BehavioursOfParty['aadhaar'], Trouble> | undefined;
  readonly expiresAt: Date;
  wrong: number;
  verified: { readonly at: Date; readonly result: AadhaarResult } | null;
}

export type OtpVerdict = 'right' | 'wrong' | 'over';

/**
 * What a try with a code is worth; a wrong one is counted.
 * @returns `over` when no code helps any more: expired, used up, or too many were wrong
 */
export function tryOtp(transaction: AadhaarTransaction, otp: string, now: Date): OtpVerdict {
  const { verified } = transaction;
  // somebody who did not see the first answer asks again
  if (verified)
    return otp === transaction.otp && now < after(verified.at, REPEATABLE_SECONDS) ? 'right' : 'over';
  if (transaction.behaviour === 'dead_code') return 'over';
  if (now >= transaction.expiresAt || transaction.wrong >= MAX_WRONG) return 'over';
  if (otp === transaction.otp) return 'right';
  transaction.wrong += 1;
  return 'wrong';
}
