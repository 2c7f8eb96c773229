import type { EkycMethod } from '../../config/index.js';

/** Who the eKYC must be of: the holder of the verified PAN. The provider compares, so that we need not see more. */
export interface ExpectedPerson {
  readonly name: string;
  /** YYYY-MM-DD */
  readonly dateOfBirth: string;
}

/** What the person proved, as much of it as is kept. */
export interface AadhaarProof {
  readonly reference: string;
  readonly lastFour: string;
}

export interface Visit {
  /** Our id of it, which is also the idempotency key: one visit at the provider, however often we ask. */
  readonly reference: string;
  readonly redirectUrl: string | null;
  /** Null: nobody is known yet to compare with. */
  readonly expected: ExpectedPerson | null;
}

export interface HostedVisit extends Visit {
  readonly issuerCode: string;
  readonly method: EkycMethod;
}

/** The page of a visit. */
export interface OpenedPage {
  readonly url: string;
  readonly expiresAt: Date;
}

export type HostedEkycState = 'created' | 'opened' | 'verified' | 'failed' | 'another-person' | 'expired';

/** The provider of pages on which the whole eKYC is done. Every call may throw a ProviderError. */
export interface HostedEkyc {
  open(visit: HostedVisit): Promise<OpenedPage>;
  /**
   * Undefined when the provider does not know the request, or no longer.
   * @param isCompared whether it was told whom the eKYC must be of: then it must say that it is
   */
  state(reference: string, isCompared: boolean): Promise<HostedEkycState | undefined>;
  /** Says that it was completed another way, so that the link is of no more use. */
  close(reference: string): Promise<void>;
}

export const HOSTED_EKYC = Symbol('hosted ekyc');

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
  | ({ readonly outcome: 'right' } & AadhaarProof)
  | { readonly outcome: 'wrong' | 'expired' | 'another-person' };

/** The sender of one-time codes to the phone that is linked to an Aadhaar number. Throws ProviderErrors. */
export interface AadhaarProvider {
  send(aadhaarNumber: string): Promise<AadhaarCode>;
  /** @param expected whom the number must belong to; null: nobody is known yet to compare with */
  check(transactionId: string, code: string, expected: ExpectedPerson | null): Promise<AadhaarCheck>;
}

export const AADHAAR_PROVIDER = Symbol('aadhaar provider');

export interface OpenedLocker extends OpenedPage {
  readonly lockerId: string;
}

/** What a person did at the locker. */
export type LockerOutcome =
  | { readonly outcome: 'open' }
  | { readonly outcome: 'denied' | 'expired' | 'no-aadhaar' | 'another-person' }
  | ({ readonly outcome: 'allowed' } & AadhaarProof);

/** The locker in which people keep their documents. Throws ProviderErrors. */
export interface DocumentLocker {
  open(visit: Visit): Promise<OpenedLocker>;
  /** @param isCompared whether the locker was told whom the Aadhaar must be of: then it must say that it is */
  outcome(lockerId: string, isCompared: boolean): Promise<LockerOutcome>;
}

export const DOCUMENT_LOCKER = Symbol('document locker');
