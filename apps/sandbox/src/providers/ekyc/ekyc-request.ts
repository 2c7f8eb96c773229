import type { ExpectedPerson } from '../holder.js';

export const EKYC_METHODS = ['HOSTED', 'AADHAAR_OTP', 'DIGILOCKER'] as const;
export type EkycMethod = (typeof EKYC_METHODS)[number];

export const EKYC_OUTCOMES = ['verified', 'failed', 'expired'] as const;
export type EkycOutcome = (typeof EKYC_OUTCOMES)[number];

/** `closed`: the caller has verified the person in another way. */
export const EKYC_STATES = ['created', 'opened', ...EKYC_OUTCOMES, 'closed'] as const;
export type EkycState = (typeof EKYC_STATES)[number];

/** A company that makes the page. */
export interface EkycWay {
  /** Name in the ledger of effects. */
  readonly provider: string;
  readonly kind: string;
  /** Called with the outcome that the person has chosen. */
  readonly ended?: (request: EkycRequest) => void;
}

/** A request for an eKYC of a person. */
export interface EkycRequest {
  /** UUIDv7, part of the link. */
  readonly id: string;
  /** The caller's reference. */
  readonly reference: string;
  readonly issuerCode: string;
  readonly method: EkycMethod;
  readonly redirectUrl: string | null;
  /** The person: as expected by the caller, or as given. Null: unknown. */
  person: ExpectedPerson | null;
  /** Of the person who has completed it, if the provider reports it. */
  phone?: string | undefined;
  readonly over: EkycWay;
  readonly expiresAt: Date;
  /** The state that was last set; `ekycStateAt` returns the current one. */
  state: EkycState;
}

/** Returns the state at a moment: a request without an outcome in time has expired. */
export function ekycStateAt({ state, expiresAt }: EkycRequest, now: Date): EkycState {
  return isOpen(state) && now >= expiresAt ? 'expired' : state;
}

/** Whether the person may still finish it. */
export function isOpen(state: EkycState): boolean {
  return state === 'created' || state === 'opened';
}
