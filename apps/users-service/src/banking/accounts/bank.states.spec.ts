import { stateAfter, type Transitions } from '../../core/index.js';
import { BankErrors } from '@fd/errors';
import {
  ACCOUNT_TRANSITIONS,
  type AccountState,
  isInProgress,
  isMismatchInReview,
  isRegistrable,
  type NameReview,
  OPEN_ACCOUNT_STATES,
  OPEN_REGISTRATION_STATES,
  refusalOf,
  REGISTRATION_TRANSITIONS,
  reviewOf,
  waitOf,
} from './bank.states.js';

/** Every pair of state and event, with the next state; null when the event cannot happen. */
function matrixOf(table: Transitions<string, string>, allowed: Readonly<Record<string, string>>) {
  const known = Object.values(table).flatMap((events) => Object.keys(events));
  const expected = Object.keys(allowed).map((pair) => pair.split(' ')[1]!);
  return Object.keys(table).flatMap((state) =>
    [...new Set([...known, ...expected])].map(
      (event) => [state, event, allowed[`${state} ${event}`] ?? null] as const,
    ),
  );
}

function expectNext(table: Transitions<string, string>, state: string, event: string, next: string | null) {
  const apply = () => stateAfter(table, state, event);
  if (next === null) expect(apply).toThrow(/cannot happen/);
  else expect(apply()).toBe(next);
}

const ALLOWED_OF_ACCOUNTS: Record<string, string> = {
  'DUE ACCEPTED': 'PROCESSING',
  'DUE PUT_OFF': 'DUE',
  'DUE MATCHED': 'VERIFIED',
  'DUE DIFFERED': 'MISMATCHED',
  'DUE BLOCKED': 'BLOCKED',
  'DUE UNKNOWN': 'INVALID',
  'DUE GIVEN_UP': 'ABANDONED',
  'PROCESSING ACCEPTED': 'PROCESSING',
  'PROCESSING FORGOTTEN': 'DUE',
  'PROCESSING PUT_OFF': 'DUE',
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
  'SYNCED DROPPED': 'DROPPED',
  'SYNCED ASKED_AGAIN': 'DUE',
  'DROPPED ASKED_AGAIN': 'DUE',
  'DROPPED REGISTERED': 'SYNCED',
  'ABANDONED ASKED_AGAIN': 'DUE',
};

describe('ACCOUNT_TRANSITIONS', () => {
  it.each(matrixOf(ACCOUNT_TRANSITIONS, ALLOWED_OF_ACCOUNTS))(
    'leads from %s by %s to %s',
    (state, event, next) => {
      expectNext(ACCOUNT_TRANSITIONS, state, event, next);
    },
  );

  it('leaves VERIFIED only for another name, and ends every open state', () => {
    expect(Object.values(ACCOUNT_TRANSITIONS.VERIFIED)).toEqual(['VERIFIED', 'MISMATCHED']);
    for (const state of OPEN_ACCOUNT_STATES) expect(ACCOUNT_TRANSITIONS[state].GIVEN_UP).toBe('ABANDONED');
  });
});

describe('REGISTRATION_TRANSITIONS', () => {
  it.each(matrixOf(REGISTRATION_TRANSITIONS, ALLOWED_OF_REGISTRATIONS))(
    'leads from %s by %s to %s',
    (state, event, next) => {
      expectNext(REGISTRATION_TRANSITIONS, state, event, next);
    },
  );

  it('leaves SYNCED only for a withdrawal, and ends every open state', () => {
    expect(Object.values(REGISTRATION_TRANSITIONS.SYNCED)).toEqual(['DROPPED', 'DUE']);
    for (const state of OPEN_REGISTRATION_STATES)
      expect(REGISTRATION_TRANSITIONS[state].GIVEN_UP).toBe('ABANDONED');
  });
});

describe('an account', () => {
  const STATES = Object.keys(ACCOUNT_TRANSITIONS) as AccountState[];
  const REVIEWS: readonly NameReview[] = [null, 'WAITING', 'ACCEPTED', 'REFUSED'];
  const ALL = STATES.flatMap((state) =>
    REVIEWS.flatMap((review) => [true, false].map((isCompared) => ({ state, review, isCompared }))),
  );

  it('reaches an issuer only if it is verified, compared with a PAN and not in review', () => {
    expect(ALL.filter(isRegistrable)).toEqual(
      [null, 'ACCEPTED', 'REFUSED'].map((review) => ({ state: 'VERIFIED', review, isCompared: true })),
    );
  });

  it('is neither refused nor verified while names that differ are in review', () => {
    const inReview = ALL.filter(isMismatchInReview);
    expect(inReview).toHaveLength(2);
    for (const account of inReview) {
      expect([waitOf(account), isInProgress(account, undefined)]).toEqual(['BANK_NAME_IN_REVIEW', true]);
      expect(refusalOf(account, undefined)).toBeUndefined();
      expect(refusalOf(account, { state: 'INVALID' })?.code).toBe(BankErrors.beneficiaryInvalid.code);
    }
  });

  it('is refused with the way to a review unless an operator has refused its names', () => {
    const hints = REVIEWS.map((review) => refusalOf({ state: 'MISMATCHED', review }, undefined))
      .filter((refusal) => refusal !== undefined)
      .map(({ refusals: [refusal] }) => [refusal!.error, refusal!.hint?.includes('ask_for_review') ?? false]);
    expect(hints).toEqual([
      [BankErrors.holderDiffers, true],
      [BankErrors.holderDiffers, true],
      [BankErrors.holderDiffers, false],
    ]);
  });

  it.each([
    ['EXACT', false, null],
    ['STRONG', true, null],
    ['REVIEW', false, 'WAITING'],
    ['REVIEW', true, 'WAITING'],
    ['MISMATCH', false, null],
    ['MISMATCH', true, 'WAITING'],
  ] as const)(
    'with names of the band %s and a request for a review %s gets the review %s',
    (band, isAsked, review) => {
      expect(reviewOf(band, isAsked)).toBe(review);
    },
  );
});
