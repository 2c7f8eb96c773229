/**
 * Life of an account's verification. DUE: the bank is to be asked, or was and its answer is not known. PROCESSING:
 * the bank has taken it and is polled. MISMATCHED: the bank knows the account under another name than was given.
 * BLOCKED: frozen or closed. INVALID: the bank has no such account. ABANDONED: no answer for a day.
 */
export const ACCOUNT_STATES = [
  'DUE',
  'PROCESSING',
  'VERIFIED',
  'MISMATCHED',
  'BLOCKED',
  'INVALID',
  'ABANDONED',
] as const;
export type AccountState = (typeof ACCOUNT_STATES)[number];

export const ACCOUNT_EVENTS = [
  'TAKEN',
  'LOST',
  'MATCHED',
  'DIFFERED',
  'BLOCKED',
  'UNKNOWN',
  'GIVEN_UP',
  'ASKED_AGAIN',
] as const;
export type AccountEvent = (typeof ACCOUNT_EVENTS)[number];

type Table<State extends string, Event extends string> = Readonly<
  Record<State, Readonly<Partial<Record<Event, State>>>>
>;

const RESULTS = {
  MATCHED: 'VERIFIED',
  DIFFERED: 'MISMATCHED',
  BLOCKED: 'BLOCKED',
  UNKNOWN: 'INVALID',
  GIVEN_UP: 'ABANDONED',
} as const;

/** What each event makes of each state. What is not in the table cannot happen. */
export const ACCOUNT_TRANSITIONS: Table<AccountState, AccountEvent> = {
  DUE: { TAKEN: 'PROCESSING', ...RESULTS },
  // a bank that no longer knows what it has taken is asked anew
  PROCESSING: { TAKEN: 'PROCESSING', LOST: 'DUE', ...RESULTS },
  // a PAN that is verified later is compared then
  VERIFIED: { MATCHED: 'VERIFIED', DIFFERED: 'MISMATCHED' },
  // another name is compared with what the bank has said already
  MISMATCHED: { MATCHED: 'VERIFIED', DIFFERED: 'MISMATCHED' },
  BLOCKED: { ASKED_AGAIN: 'DUE' },
  INVALID: { ASKED_AGAIN: 'DUE' },
  ABANDONED: { ASKED_AGAIN: 'DUE' },
};

/**
 * Life of an account's registration at one issuer. DUE: waits for the account to be verified, then for the issuer.
 * ACCEPTED: the issuer decides later and is polled. DROPPED: the account was not verified, or turned out to be
 * somebody else's, so nothing was sent, or what was sent and forgotten is not sent again.
 */
export const SYNC_STATES = ['DUE', 'ACCEPTED', 'SYNCED', 'INVALID', 'DROPPED', 'ABANDONED'] as const;
export type SyncState = (typeof SYNC_STATES)[number];

export const SYNC_EVENTS = [
  'ACCEPTED',
  'LOST',
  'REGISTERED',
  'REFUSED',
  'DROPPED',
  'GIVEN_UP',
  'ASKED_AGAIN',
] as const;
export type SyncEvent = (typeof SYNC_EVENTS)[number];

export const SYNC_TRANSITIONS: Table<SyncState, SyncEvent> = {
  DUE: {
    ACCEPTED: 'ACCEPTED',
    REGISTERED: 'SYNCED',
    REFUSED: 'INVALID',
    DROPPED: 'DROPPED',
    GIVEN_UP: 'ABANDONED',
  },
  ACCEPTED: {
    ACCEPTED: 'ACCEPTED',
    LOST: 'DUE',
    REGISTERED: 'SYNCED',
    REFUSED: 'INVALID',
    DROPPED: 'DROPPED',
    GIVEN_UP: 'ABANDONED',
  },
  SYNCED: {},
  INVALID: { ASKED_AGAIN: 'DUE' },
  DROPPED: { ASKED_AGAIN: 'DUE' },
  ABANDONED: { ASKED_AGAIN: 'DUE' },
};

/** @throws Error for an event that cannot happen in this state: a defect */
export function stateAfter<State extends string, Event extends string>(
  table: Table<State, Event>,
  state: State,
  event: Event,
): State {
  const next = table[state][event];
  if (next === undefined) throw new Error(`${event} cannot happen to what is ${state}`);
  return next;
}

/** States that the worker moves on. */
export const OPEN_ACCOUNT_STATES: readonly AccountState[] = ['DUE', 'PROCESSING'];
export const OPEN_SYNC_STATES: readonly SyncState[] = ['DUE', 'ACCEPTED'];
