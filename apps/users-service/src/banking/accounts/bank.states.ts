import { type AppError, BankErrors, type ErrorDefinition, GeneralErrors, IssuerErrors } from '@fd/errors';
import type { CallState, Transitions } from '../../core/index.js';

/**
 * States of an account's verification. DUE: the bank has not answered yet. PROCESSING: the bank has accepted it and
 * is polled. MISMATCHED: the bank knows the account under another name than was given. BLOCKED: frozen or closed.
 * INVALID: the bank has no such account. ABANDONED: no answer for a day, or an
 * answer that was not compared, since too many names did not match before.
 */
export type AccountState =
  'DUE' | 'PROCESSING' | 'VERIFIED' | 'MISMATCHED' | 'BLOCKED' | 'INVALID' | 'ABANDONED';
export type AccountEvent =
  'ACCEPTED' | 'FORGOTTEN' | 'PUT_OFF' | 'ASKED_AGAIN' | keyof typeof VERIFICATION_RESULTS;

const VERIFICATION_RESULTS = {
  MATCHED: 'VERIFIED',
  DIFFERED: 'MISMATCHED',
  BLOCKED: 'BLOCKED',
  UNKNOWN: 'INVALID',
  GIVEN_UP: 'ABANDONED',
} as const;

export const ACCOUNT_TRANSITIONS: Transitions<AccountState, AccountEvent> = {
  // a verification that ended without a result, and without a payment, is begun anew later
  DUE: { ACCEPTED: 'PROCESSING', PUT_OFF: 'DUE', ...VERIFICATION_RESULTS },
  // a bank that has forgotten the verification is asked again
  PROCESSING: { ACCEPTED: 'PROCESSING', FORGOTTEN: 'DUE', PUT_OFF: 'DUE', ...VERIFICATION_RESULTS },
  // a PAN that is verified later is compared with the holder's name
  VERIFIED: { MATCHED: 'VERIFIED', DIFFERED: 'MISMATCHED' },
  // another holder's name is compared with the bank's answer
  MISMATCHED: { MATCHED: 'VERIFIED', DIFFERED: 'MISMATCHED' },
  BLOCKED: { ASKED_AGAIN: 'DUE' },
  INVALID: { ASKED_AGAIN: 'DUE' },
  ABANDONED: { ASKED_AGAIN: 'DUE' },
};

/**
 * Review of names that match, but not well enough to register the account. WAITING: an operator has to decide. ACCEPTED: the
 * account is registered. REFUSED: the same names are refused from now on; null: no review is needed.
 */
export type NameReview = 'WAITING' | 'ACCEPTED' | 'REFUSED' | null;

/** The reason why no issuer gets a verified account yet, also of the step BANK. */
type BankWait = 'BANK_NAME_IN_REVIEW' | 'PAN_NOT_VERIFIED';

/** The columns of an account that decide whether issuers get it. */
export interface ComparedAccount {
  readonly state: AccountState;
  readonly isCompared: boolean;
  readonly review: NameReview;
}

/** The reason why a verified account waits; null if it does not wait, or is not verified. */
export function waitOf({ state, isCompared, review }: ComparedAccount): BankWait | null {
  if (state !== 'VERIFIED') return null;
  if (review === 'WAITING') return 'BANK_NAME_IN_REVIEW';
  return isCompared ? null : 'PAN_NOT_VERIFIED';
}

/** Whether an issuer may get an account: the names of the user, the bank and the PAN match. */
export function isRegistrable(account: ComparedAccount): boolean {
  return account.state === 'VERIFIED' && waitOf(account) === null;
}

/**
 * States of an account's registration at one issuer. DUE: waits for the account to be verified, then for the issuer.
 * ACCEPTED: the issuer decides later and is polled. DROPPED: the account was not verified, or belongs to another
 * person; it is not sent (again), and an existing registration is withdrawn.
 */
export type RegistrationState = 'DUE' | 'ACCEPTED' | 'SYNCED' | 'INVALID' | 'DROPPED' | 'ABANDONED';
export type RegistrationEvent = 'ACCEPTED' | 'FORGOTTEN' | 'ASKED_AGAIN' | keyof typeof REGISTRATION_RESULTS;

const REGISTRATION_RESULTS = {
  REGISTERED: 'SYNCED',
  REFUSED: 'INVALID',
  DROPPED: 'DROPPED',
  GIVEN_UP: 'ABANDONED',
} as const;

export const REGISTRATION_TRANSITIONS: Transitions<RegistrationState, RegistrationEvent> = {
  DUE: { ACCEPTED: 'ACCEPTED', ...REGISTRATION_RESULTS },
  ACCEPTED: { ACCEPTED: 'ACCEPTED', FORGOTTEN: 'DUE', ...REGISTRATION_RESULTS },
  SYNCED: { DROPPED: 'DROPPED' },
  INVALID: { ASKED_AGAIN: 'DUE' },
  // registered as before: the issuer cannot withdraw it
  DROPPED: { ASKED_AGAIN: 'DUE', REGISTERED: 'SYNCED' },
  ABANDONED: { ASKED_AGAIN: 'DUE' },
};

/** States without a result: the worker goes on with them. */
export const OPEN_ACCOUNT_STATES: readonly AccountState[] = ['DUE', 'PROCESSING'];
export const OPEN_REGISTRATION_STATES: readonly RegistrationState[] = ['DUE', 'ACCEPTED'];

/**
 * Whether an account is verified, or registered, without another call. A registration that waits for the user's PAN does
 * not continue by itself: the account is verified, and clients should not poll it.
 */
export function goesOnByItself(
  account: ComparedAccount,
  registration: { readonly state: RegistrationState } | undefined,
): boolean {
  if (OPEN_ACCOUNT_STATES.includes(account.state)) return true;
  if (!registration || !OPEN_REGISTRATION_STATES.includes(registration.state)) return false;
  return registration.state === 'ACCEPTED' || waitOf(account) !== 'PAN_NOT_VERIFIED';
}

/** Providers that cannot say what became of a verification whose start got no answer. */
const FORGETFUL_PROVIDERS: readonly (string | null)[] = ['setu-bank'];

type Verified = CallState<AccountState> & { readonly provider: string | null };

/** Whether giving an account again verifies it again. */
export function isToBeVerifiedAgain(account: Verified): boolean {
  return account.state === 'ABANDONED' || isAnotherVerification(account);
}

/** Whether this is a new verification: the bank decided the former one some time ago, or it cannot be continued. */
export function isAnotherVerification({ state, isCooled, provider }: Verified): boolean {
  if (state === 'ABANDONED') return FORGETFUL_PROVIDERS.includes(provider);
  return (state === 'BLOCKED' || state === 'INVALID') && isCooled;
}

/** Why an account is not verified, and will not be unless the user asks again. */
export const ACCOUNT_REFUSALS: Readonly<Partial<Record<AccountState, ErrorDefinition>>> = {
  MISMATCHED: BankErrors.holderDiffers,
  BLOCKED: BankErrors.accountBlocked,
  INVALID: GeneralErrors.fieldInvalid,
  ABANDONED: BankErrors.unavailable,
};

/** Why a registration failed. */
export const REGISTRATION_REFUSALS: Readonly<Partial<Record<RegistrationState, ErrorDefinition>>> = {
  INVALID: BankErrors.beneficiaryInvalid,
  ABANDONED: IssuerErrors.unavailable,
};

/** Why an account cannot be used or its registration failed; undefined when neither is so. */
export function refusalOf(
  account: { readonly state: AccountState },
  registration: { readonly state: RegistrationState } | undefined,
): AppError | undefined {
  if (account.state === 'INVALID') return GeneralErrors.fieldInvalid({ field: 'account' });
  const error =
    ACCOUNT_REFUSALS[account.state] ?? (registration && REGISTRATION_REFUSALS[registration.state]);
  return error?.();
}
