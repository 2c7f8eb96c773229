import { stateAfter } from '../../core/index.js';
import {
  ACCOUNT_EVENTS,
  ACCOUNT_STATES,
  ACCOUNT_TRANSITIONS,
  OPEN_ACCOUNT_STATES,
  OPEN_REGISTRATION_STATES,
  REGISTRATION_EVENTS,
  REGISTRATION_STATES,
  REGISTRATION_TRANSITIONS,
} from './bank.states.js';

/** Every pair of state and event with the next state; null when the event cannot happen. */
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
  'DUE ACCEPTED': 'PROCESSING',
  'DUE MATCHED': 'VERIFIED',
  'DUE DIFFERED': 'MISMATCHED',
  'DUE BLOCKED': 'BLOCKED',
  'DUE UNKNOWN': 'INVALID',
  'DUE GIVEN_UP': 'ABANDONED',
  'PROCESSING ACCEPTED': 'PROCESSING',
  'PROCESSING FORGOTTEN': 'DUE',
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

const ALLOWED_OF_REGISTRATIONS: Record<string, string> = {
  'DUE ACCEPTED': 'ACCEPTED',
  'DUE REGISTERED': 'SYNCED',
  'DUE REFUSED': 'INVALID',
  'DUE DROPPED': 'DROPPED',
  'DUE GIVEN_UP': 'ABANDONED',
  'ACCEPTED ACCEPTED': 'ACCEPTED',
  'ACCEPTED FORGOTTEN': 'DUE',
  'ACCEPTED REGISTERED': 'SYNCED',
  'ACCEPTED REFUSED': 'INVALID',
  'ACCEPTED DROPPED': 'DROPPED',
  'ACCEPTED GIVEN_UP': 'ABANDONED',
  'INVALID ASKED_AGAIN': 'DUE',
  'DROPPED ASKED_AGAIN': 'DUE',
  'ABANDONED ASKED_AGAIN': 'DUE',
};

describe('the states of a bank account', () => {
  it.each(matrixOf(ACCOUNT_TRANSITIONS, ACCOUNT_STATES, ACCOUNT_EVENTS))(
    '%s %s: %s',
    (state, event, next) => {
      expect(next).toBe(ALLOWED_OF_ACCOUNTS[`${state} ${event}`] ?? null);
      const apply = () => stateAfter(ACCOUNT_TRANSITIONS, state, event);
      if (next === null) expect(apply).toThrow(/cannot happen/);
      else expect(apply()).toBe(next);
    },
  );

  it('leaves VERIFIED for another name only, and ends every open state', () => {
    expect(Object.values(ACCOUNT_TRANSITIONS.VERIFIED)).toEqual(['VERIFIED', 'MISMATCHED']);
    for (const state of OPEN_ACCOUNT_STATES) expect(ACCOUNT_TRANSITIONS[state].GIVEN_UP).toBe('ABANDONED');
  });
});

describe('the states of a registration', () => {
  it.each(matrixOf(REGISTRATION_TRANSITIONS, REGISTRATION_STATES, REGISTRATION_EVENTS))(
    '%s %s: %s',
    (state, event, next) => {
      expect(next).toBe(ALLOWED_OF_REGISTRATIONS[`${state} ${event}`] ?? null);
      const apply = () => stateAfter(REGISTRATION_TRANSITIONS, state, event);
      if (next === null) expect(apply).toThrow(/cannot happen/);
      else expect(apply()).toBe(next);
    },
  );

  it('never leaves SYNCED, and ends every open state', () => {
    expect(REGISTRATION_TRANSITIONS.SYNCED).toEqual({});
    for (const state of OPEN_REGISTRATION_STATES)
      expect(REGISTRATION_TRANSITIONS[state].GIVEN_UP).toBe('ABANDONED');
  });
});
