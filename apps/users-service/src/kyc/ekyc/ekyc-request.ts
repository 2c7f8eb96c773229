import type { EkycMethod } from '../../config/index.js';

/** How a request for eKYC stands. REQUESTED: written down, and not yet known to have reached the provider. */
export type EkycRequestStatus =
  'REQUESTED' | 'LINK_CREATED' | 'IN_PROGRESS' | 'VERIFIED' | 'FAILED' | 'EXPIRED';

/** States out of which a request may still be verified. */
export const LIVE_STATUSES = ['REQUESTED', 'LINK_CREATED', 'IN_PROGRESS'] as const;

export interface EkycRequest {
  readonly id: string;
  readonly userId: string;
  readonly issuer: string;
  readonly method: EkycMethod;
  readonly status: EkycRequestStatus;
  readonly redirectUrl: string | null;
  /** Whoever has it may use it. Null as long as it is REQUESTED. */
  readonly url: string | null;
  readonly expiresAt: Date | null;
  /** Whether the provider was told whom it must be of. */
  readonly isCompared: boolean;
  /** Whether the request before it failed. */
  readonly isRetry: boolean;
  readonly aadhaarTransaction: string | null;
}

/** What the person proved, as much of it as is kept. */
export interface AadhaarProof {
  readonly reference: string;
  readonly lastFour: string;
}

export function isLive({ status }: EkycRequest): boolean {
  return (LIVE_STATUSES as readonly EkycRequestStatus[]).includes(status);
}
