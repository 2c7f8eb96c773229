/** A call with its start, end and outcome. Times in milliseconds of one clock. */
export interface Timed {
  readonly invokedAt: number;
  readonly endedAt: number;
  /** `unknown`: the connection broke or the answer was a 5xx, so the call may or may not have taken effect. */
  readonly outcome: 'ok' | 'fail' | 'unknown';
  /** Error code of a refusal. */
  readonly code?: string | undefined;
}

export interface Register extends Timed {
  readonly kind: 'register';
  readonly phone: string;
}

export interface Verify extends Timed {
  readonly kind: 'verify';
  readonly phone: string;
  readonly otp: string;
  /** The user it logged in, if ok. */
  readonly userId?: string | undefined;
}

export interface Refresh extends Timed {
  readonly kind: 'refresh';
  /** The session of the client that refreshes, by the refresh token of its login. */
  readonly session: string;
  readonly presented: string;
  readonly successor?: string | undefined;
}

export interface PanClaim extends Timed {
  readonly kind: 'pan';
  readonly pan: string;
  readonly userId: string;
}

export type Operation = Register | Verify | Refresh | PanClaim;

/** The state of the sandbox and the stores once all calls have ended. */
export interface FinalState {
  /** Number of different messages to each phone. */
  readonly messages: ReadonlyMap<string, number>;
  /** Number of tokens in each open session that were not exchanged yet. */
  readonly openTokens: readonly { readonly session: string; readonly count: number }[];
}
