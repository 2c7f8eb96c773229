export const EKYC_METHODS = ['HOSTED', 'AADHAAR_OTP', 'DIGILOCKER'] as const;
export type EkycMethod = (typeof EKYC_METHODS)[number];

export const EKYC_OUTCOMES = ['verified', 'failed', 'expired'] as const;
export type EkycOutcome = (typeof EKYC_OUTCOMES)[number];

export const EKYC_STATES = ['created', 'opened', ...EKYC_OUTCOMES] as const;
export type EkycState = (typeof EKYC_STATES)[number];

/** An eKYC that somebody is to do. */
export interface EkycRequest {
  /** UUIDv7, known to who has the link. */
  readonly id: string;
  /** What the caller calls it. */
  readonly reference: string;
  readonly issuerCode: string;
  readonly method: EkycMethod;
  readonly redirectUrl: string | null;
  readonly expiresAt: Date;
  /** As it was last set: what it is by now, `ekycStateAt` says. */
  state: EkycState;
}

/** The state at a moment: a request that nobody ended in time has expired. */
export function ekycStateAt({ state, expiresAt }: EkycRequest, now: Date): EkycState {
  return isOpen(state) && now >= expiresAt ? 'expired' : state;
}

/** Whether the person may still do it. */
export function isOpen(state: EkycState): boolean {
  return state === 'created' || state === 'opened';
}
