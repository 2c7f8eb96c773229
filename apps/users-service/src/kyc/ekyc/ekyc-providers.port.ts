import type { EkycMethod } from '../../config/index.js';

/** Whom the eKYC must be of: the holder of the verified PAN. */
export interface ExpectedPerson {
  readonly name: string;
  /** YYYY-MM-DD */
  readonly dateOfBirth: string;
}

/** Whom a document belongs to, as its provider says. We compare it and do not keep it. */
export interface DocumentPerson {
  readonly name: string;
  /** YYYY-MM-DD; YYYY if the document has no more than the year. */
  readonly born: string;
}

/** The part of the proof that is stored. */
export interface AadhaarProof {
  readonly reference: string;
  readonly lastFour: string;
}

export interface Visit {
  /** Our id of it, which is also the idempotency key: one visit at the provider, however often we ask. */
  readonly reference: string;
  readonly redirectUrl: string | null;
  /** Shown on the page of the provider, whose own comparison does not count. Null if no PAN is verified. */
  readonly expected: ExpectedPerson | null;
}

export interface HostedVisit extends Visit {
  readonly issuerCode: string;
  readonly method: EkycMethod;
  /** Of the user, with its country code: for providers whose page belongs to a phone. In no log. */
  readonly phone: string;
}

/** The page of a visit. */
export interface OpenedPage {
  readonly url: string;
  readonly expiresAt: Date;
}

export type HostedEkycState =
  | { readonly state: 'created' | 'opened' | 'failed' | 'expired' }
  | { readonly state: 'verified'; readonly person: DocumentPerson };

/** A provider of pages on which the whole eKYC is done. Every call may throw a ProviderError. */
export interface HostedEkyc {
  /** In the row of each request that was opened there, and in logs and metrics. */
  readonly name: string;
  /** Whether opening or reading a request takes seconds. */
  readonly isSlow: boolean;
  /** Undefined: a page was opened with this reference before, and its link is lost. */
  open(visit: HostedVisit): Promise<OpenedPage | undefined>;
  /** Undefined when the provider does not know the request, or no longer. */
  state(reference: string): Promise<HostedEkycState | undefined>;
  /** Says that it was completed another way, so that the link is of no more use. */
  close(reference: string): Promise<void>;
}

/** The providers of EKYC_PROVIDERS: a `ProviderList<HostedEkyc>`. */
export const HOSTED_EKYC = Symbol('hosted ekyc');

/** Where requests were opened that do not say where: by a release that knew one provider. */
export const FORMER_HOSTED_EKYC = 'ekyc';

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

/** Outcome of a visit to the locker. */
export type LockerOutcome =
  | { readonly outcome: 'open' }
  | { readonly outcome: 'denied' | 'expired' | 'no-aadhaar' }
  | ({ readonly outcome: 'allowed'; readonly person: DocumentPerson } & AadhaarProof);

/** A way into the locker in which people keep their documents. Throws ProviderErrors. */
export interface DocumentLocker {
  /** In the row of each session that was opened there, and in logs and metrics. */
  readonly name: string;
  /** Whether reading the outcome takes seconds. */
  readonly isSlow: boolean;
  /** Undefined: a session was opened with this reference before, and its link is lost. */
  open(visit: Visit): Promise<OpenedLocker | undefined>;
  outcome(lockerId: string): Promise<LockerOutcome>;
}

/** The providers of LOCKER_PROVIDERS: a `ProviderList<DocumentLocker>`. */
export const DOCUMENT_LOCKER = Symbol('document locker');

/** Where sessions were opened that do not say where: by a release that knew one provider. */
export const FORMER_LOCKER = 'document-locker';
