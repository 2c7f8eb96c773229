import {
  ACCOUNT_EVENTS,
  ACCOUNT_STATES,
  ACCOUNT_TRANSITIONS,
  OPEN_ACCOUNT_STATES,
  OPEN_SYNC_STATES,
  stateAfter,
  SYNC_EVENTS,
  SYNC_STATES,
  SYNC_TRANSITIONS,
} from './bank.states.js';

/** Every pair of state and event with what it leads to; null: it cannot happen. */
function matrixOf<State extends string, Event extends string>(
  table: Readonly<Record<State, Readonly<Partial<Record<Event, State>>>>>,
  states: readonly State[],
  events: readonly Event[],
) {
  return states.flatMap((state) =>
    events.map((event) => [state, event, table[state][event] ?? null] as const),
  );
}

const ALLOWED_OF_ACCOUNTS: Record<string, string> = {
  'DUE TAKEN': 'PROCESSING',
  'DUE MATCHED': 'VERIFIED',
  'DUE DIFFERED': 'MISMATCHED',
  'DUE BLOCKED': 'BLOCKED',
  'DUE UNKNOWN': 'INVALID',
  'DUE GIVEN_UP': 'ABANDONED',
  'PROCESSING TAKEN': 'PROCESSING',
  'PROCESSING LOST': 'DUE',
  'PROCESSING MATCHED': 'VERIFIED',
  'PROCESSING DIFFERED': 'MISMATCHED',
  'PROCESSING BLOCKED': 'BLOCKED',
  'PROCESSING UNKNOWN': 'INVALID',
  'PROCESSING GIVEN_UP': 'ABANDONED',
  'VERIFIED MATCHED': 'VERIFIED',
  'VERIFIED DIFFERED': 'MISMATCHED',
  'MISMATCHED MATCHED': 'VERIFIED',
  'MISMATCHED DIFFERED': 'MISMATCHED',
  'BLOCKED ASKED_AGAIN': 'DUE',
  'INVALID ASKED_AGAIN': 'DUE',
  'ABANDONED ASKED_AGAIN': 'DUE',
};

const ALLOWED_OF_SYNCS: Record<string, string> = {
  'DUE ACCEPTED': 'ACCEPTED',
  'DUE REGISTERED': 'SYNCED',
  'DUE REFUSED': 'INVALID',
  'DUE DROPPED': 'DROPPED',
  'DUE GIVEN_UP': 'ABANDONED',
  'ACCEPTED ACCEPTED': 'ACCEPTED',
  'ACCEPTED LOST': 'DUE',
  'ACCEPTED REGISTERED': 'SYNCED',
  'ACCEPTED REFUSED': 'INVALID',
  'ACCEPTED DROPPED': 'DROPPED',
  'ACCEPTED GIVEN_UP': 'ABANDONED',
  'INVALID ASKED_AGAIN': 'DUE',
  'DROPPED ASKED_AGAIN': 'DUE',
  'ABANDONED ASKED_AGAIN': 'DUE',
};

describe('the life of a bank account', () => {
  it.each(matrixOf(ACCOUNT_TRANSITIONS, ACCOUNT_STATES, ACCOUNT_EVENTS))(
    '%s %s: %s',
    (state, event, next) => {
      expect(next).toBe(ALLOWED_OF_ACCOUNTS[`${state} ${event}`] ?? null);
      const apply = () => stateAfter(ACCOUNT_TRANSITIONS, state, event);
      if (next === null) expect(apply).toThrow(/cannot happen/);
      else expect(apply()).toBe(next);
    },
  );

  it('leaves what is verified for another name only, and ends every open state', () => {
    expect(Object.values(ACCOUNT_TRANSITIONS.VERIFIED)).toEqual(['VERIFIED', 'MISMATCHED']);
    for (const state of OPEN_ACCOUNT_STATES) expect(ACCOUNT_TRANSITIONS[state].GIVEN_UP).toBe('ABANDONED');
  });
});

describe('the life of a registration', () => {
  it.each(matrixOf(SYNC_TRANSITIONS, SYNC_STATES, SYNC_EVENTS))('%s %s: %s', (state, event, next) => {
    expect(next).toBe(ALLOWED_OF_SYNCS[`${state} ${event}`] ?? null);
    const apply = () => stateAfter(SYNC_TRANSITIONS, state, event);
    if (next === null) expect(apply).toThrow(/cannot happen/);
    else expect(apply()).toBe(next);
  });

  it('never leaves what is registered, and ends every open state', () => {
    expect(SYNC_TRANSITIONS.SYNCED).toEqual({});
    for (const state of OPEN_SYNC_STATES) expect(SYNC_TRANSITIONS[state].GIVEN_UP).toBe('ABANDONED');
  });
});
