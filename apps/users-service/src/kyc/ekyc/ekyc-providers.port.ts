import type { EkycMethod } from '../../config/index.js';

/** The person that the eKYC must prove: the holder of the verified PAN. */
export interface ExpectedPerson {
  readonly name: string;
  /** YYYY-MM-DD */
  readonly dateOfBirth: string;
}

/** The holder of a document by the provider's answer. Compared, not stored. */
export interface DocumentPerson {
  readonly name: string;
  /** YYYY-MM-DD; YYYY if the document has no more than the year. */
  readonly born: string;
  /** Of the person at the provider, 12 digits, if it reports one. */
  readonly phone?: string | undefined;
}

/** The part of the proof that is stored. */
interface AadhaarProof {
  readonly reference: string;
  readonly lastFour: string;
}

export interface EkycProof {
  /** Whether the document had the full date of birth. */
  readonly isFullDate: boolean;
  /** Whether the user's own phone completed it. */
  readonly isBound: boolean;
  /** The page on which it was completed: a request or a locker session; null for the code of an Aadhaar. */
  readonly pageId: string | null;
  /** Undefined for a hosted page. */
  readonly aadhaar?: AadhaarProof;
}

export interface Visit {
  /** Our id, also the idempotency key: repeats open one visit at the provider. */
  readonly reference: string;
  readonly redirectUrl: string | null;
  /** Shown on the page of the provider, whose own comparison does not count. Null if no PAN is verified. */
  readonly expected: ExpectedPerson | null;
}

export interface HostedVisit extends Visit {
  readonly issuerCode: string;
  readonly method: EkycMethod;
  /** The user's phone with country code, for providers that need one. Never logged. */
  readonly phone: string;
}

export interface OpenedPage {
  readonly url: string;
  readonly expiresAt: Date;
}

export type HostedEkycState =
  | { readonly state: 'created' | 'opened' | 'failed' | 'expired' }
  | { readonly state: 'verified'; readonly person: DocumentPerson };

/** A provider of hosted eKYC pages. Every call may throw a ProviderError. */
export interface HostedEkyc {
  /** Name in the rows of its requests, in logs and in metrics. */
  readonly name: string;
  /** Whether opening or reading a request takes seconds. */
  readonly isSlow: boolean;
  /** Undefined if a page exists for this reference and its link is lost. */
  open(visit: HostedVisit): Promise<OpenedPage | undefined>;
  /** Undefined for an unknown or deleted request. */
  state(reference: string): Promise<HostedEkycState | undefined>;
  /** Closes the page of a request that was completed another way. */
  close(reference: string): Promise<void>;
}

/** The providers of EKYC_PROVIDERS: a `ProviderList<HostedEkyc>`. */
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
  | ({ readonly outcome: 'right'; readonly person: DocumentPerson } & AadhaarProof)
  | { readonly outcome: 'wrong' | 'expired' };

/** The sender of one-time codes to the phone that is linked to an Aadhaar number. Throws ProviderErrors. */
export interface AadhaarProvider {
  send(aadhaarNumber: string): Promise<AadhaarCode>;
  /** @param expected as in `Visit` */
  check(transactionId: string, code: string, expected: ExpectedPerson | null): Promise<AadhaarCheck>;
}

export const AADHAAR_PROVIDER = Symbol('aadhaar provider');

export interface OpenedLocker extends OpenedPage {
  readonly lockerId: string;
}

export type LockerOutcome =
  | { readonly outcome: 'open' }
  | { readonly outcome: 'denied' | 'expired' | 'no-aadhaar' | 'another-person' }
  | ({ readonly outcome: 'allowed'; readonly person: DocumentPerson } & AadhaarProof);

/** Access to people's document lockers. Throws ProviderErrors. */
export interface DocumentLocker {
  /** Name in the rows of its sessions, in logs and in metrics. */
  readonly name: string;
  /** Whether reading the outcome takes seconds. */
  readonly isSlow: boolean;
  /**
   * Whether nobody can complete a page that has led back to its return address. Elsewhere the address gets no state: a person who cancels
   * the page would read it there, and could leave the page to another person.
   */
  readonly isOverOnceReturned: boolean;
  /** Undefined if a session exists for this reference and its link is lost. */
  open(visit: Visit): Promise<OpenedLocker | undefined>;
  outcome(lockerId: string): Promise<LockerOutcome>;
}

/** The providers of LOCKER_PROVIDERS: a `ProviderList<DocumentLocker>`. */
export const DOCUMENT_LOCKER = Symbol('document locker');
