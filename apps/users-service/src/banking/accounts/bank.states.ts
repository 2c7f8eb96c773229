import type { Transitions } from '../../core/index.js';

/**
 * States of an account's verification. DUE: the bank has not answered yet. PROCESSING: the bank has accepted it and
 * is polled. MISMATCHED: the bank knows the account under another name than was given. BLOCKED: frozen or closed.
 * INVALID: the bank has no such account. ABANDONED: no answer for a day.
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
  'ACCEPTED',
  'FORGOTTEN',
  'MATCHED',
  'DIFFERED',
  'BLOCKED',
  'UNKNOWN',
  'GIVEN_UP',
  'ASKED_AGAIN',
] as const;
export type AccountEvent = (typeof ACCOUNT_EVENTS)[number];

const RESULTS = {
  MATCHED: 'VERIFIED',
  DIFFERED: 'MISMATCHED',
  BLOCKED: 'BLOCKED',
  UNKNOWN: 'INVALID',
  GIVEN_UP: 'ABANDONED',
} as const;

export const ACCOUNT_TRANSITIONS: Transitions<AccountState, AccountEvent> = {
  DUE: { ACCEPTED: 'PROCESSING', ...RESULTS },
  // a bank that has forgotten the verification is asked again
  PROCESSING: { ACCEPTED: 'PROCESSING', FORGOTTEN: 'DUE', ...RESULTS },
  // a PAN that is verified later is compared with the holder's name
  VERIFIED: { MATCHED: 'VERIFIED', DIFFERED: 'MISMATCHED' },
  // another holder's name is compared with the bank's answer
  MISMATCHED: { MATCHED: 'VERIFIED', DIFFERED: 'MISMATCHED' },
  BLOCKED: { ASKED_AGAIN: 'DUE' },
  INVALID: { ASKED_AGAIN: 'DUE' },
  ABANDONED: { ASKED_AGAIN: 'DUE' },
};

/**
 * States of an account's registration at one issuer. DUE: waits for the account to be verified, then for the issuer.
 * ACCEPTED: the issuer decides later and is polled. DROPPED: the account was not verified, or belongs to another
 * person; nothing is sent, or sent again when the issuer has forgotten it.
 */
export const REGISTRATION_STATES = ['DUE', 'ACCEPTED', 'SYNCED', 'INVALID', 'DROPPED', 'ABANDONED'] as const;
export type RegistrationState = (typeof REGISTRATION_STATES)[number];

export const REGISTRATION_EVENTS = [
  'ACCEPTED',
  'FORGOTTEN',
  'REGISTERED',
  'REFUSED',
  'DROPPED',
  'GIVEN_UP',
  'ASKED_AGAIN',
] as const;
export type RegistrationEvent = (typeof REGISTRATION_EVENTS)[number];

export const REGISTRATION_TRANSITIONS: Transitions<RegistrationState, RegistrationEvent> = {
  DUE: {
    ACCEPTED: 'ACCEPTED',
    REGISTERED: 'SYNCED',
    REFUSED: 'INVALID',
    DROPPED: 'DROPPED',
    GIVEN_UP: 'ABANDONED',
  },
  ACCEPTED: {
    ACCEPTED: 'ACCEPTED',
    FORGOTTEN: 'DUE',
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

/** States without a result: the worker goes on with them. */
export const OPEN_ACCOUNT_STATES: readonly AccountState[] = ['DUE', 'PROCESSING'];
export const OPEN_REGISTRATION_STATES: readonly RegistrationState[] = ['DUE', 'ACCEPTED'];
