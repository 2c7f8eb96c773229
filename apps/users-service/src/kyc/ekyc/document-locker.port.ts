import type { ExpectedPerson } from './expected-person.js';

export interface LockerOrder {
  /** Our id of the session, which is also the idempotency key. */
  readonly reference: string;
  readonly redirectUrl: string | null;
  readonly expected: ExpectedPerson | null;
}

export interface OpenedLocker {
  readonly lockerId: string;
  readonly url: string;
  readonly expiresAt: Date;
}

/** What a person did at the locker. */
export type LockerOutcome =
  | { readonly outcome: 'open' | 'denied' | 'expired' | 'no-aadhaar' | 'another-person' }
  | { readonly outcome: 'allowed'; readonly reference: string; readonly lastFour: string };

export interface DocumentLocker {
  /** @throws ProviderError */
  open(order: LockerOrder): Promise<OpenedLocker>;
  /**
   * @param isCompared whether the locker was told whom the Aadhaar must be of: then it must say that it is
   * @throws ProviderError
   */
  outcome(lockerId: string, isCompared: boolean): Promise<LockerOutcome>;
}

export const DOCUMENT_LOCKER = Symbol('document locker');
