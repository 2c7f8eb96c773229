import type { EkycMethod } from '../../config/index.js';
import type { ExpectedPerson } from './expected-person.js';

/** What a person is to do on the provider's pages. */
export interface HostedEkycOrder {
  /** Our id of the request, which is also the idempotency key: one request at the provider, however often we ask. */
  readonly reference: string;
  readonly issuerCode: string;
  readonly method: EkycMethod;
  readonly redirectUrl: string | null;
  readonly expected: ExpectedPerson | null;
}

export interface HostedEkycState {
  readonly url: string;
  readonly state: 'created' | 'opened' | 'verified' | 'failed' | 'expired';
  readonly expiresAt: Date;
}

/** Whoever runs the pages on which eKYC is done. */
export interface HostedEkyc {
  /** @throws ProviderError */
  open(order: HostedEkycOrder): Promise<HostedEkycState>;
  /** Undefined when the provider does not know the request, or no longer. @throws ProviderError */
  state(reference: string): Promise<HostedEkycState | undefined>;
  /** Says that it was completed another way, so that the link is of no more use. @throws ProviderError */
  close(reference: string): Promise<void>;
}

export const HOSTED_EKYC = Symbol('hosted ekyc');
