/** When a call was made and what came of it. Times in milliseconds of one clock. */
export interface Timed {
  readonly invokedAt: number;
  readonly endedAt: number;
  /** `unknown`: nobody said whether it was done: the connection broke, or the answer was a 5xx. */
  readonly outcome: 'ok' | 'fail' | 'unknown';
  /** Code of a refusal. */
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
  /** Of an ok one: whom it logged in. */
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

/** What the outside world and the stores hold once everything is quiet again. */
export interface FinalState {
  /** Different messages that each phone was sent. */
  readonly messages: ReadonlyMap<string, number>;
  /** How many tokens of each open session were not exchanged yet. */
  readonly openTokens: readonly { readonly session: string; readonly count: number }[];
}
