import type { ExpectedPerson } from './expected-person.js';

export type AadhaarCode =
  | {
      readonly outcome: 'sent';
      readonly transactionId: string;
      readonly maskedMobile: string | null;
      readonly expiresAt: Date;
      readonly resendAfterSeconds: number;
    }
  | { readonly outcome: 'no-mobile' | 'invalid-number' }
  | { readonly outcome: 'too-soon'; readonly retryAfterSeconds: number };

export type AadhaarCheck =
  | { readonly outcome: 'right'; readonly reference: string; readonly lastFour: string }
  | { readonly outcome: 'wrong' | 'expired' | 'another-person' };

/** Whoever sends one-time codes to the phone that is linked to an Aadhaar number. */
export interface AadhaarCodes {
  /** @throws ProviderError */
  send(aadhaarNumber: string): Promise<AadhaarCode>;
  /**
   * @param expected whom the number must belong to; null: nobody is known yet to compare with
   * @throws ProviderError
   */
  check(transactionId: string, code: string, expected: ExpectedPerson | null): Promise<AadhaarCheck>;
}

export const AADHAAR_CODES = Symbol('aadhaar codes');
