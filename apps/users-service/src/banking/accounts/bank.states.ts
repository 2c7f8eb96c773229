import { type AppError, BankErrors, type ErrorDefinition, GeneralErrors, IssuerErrors } from '@fd/errors';
import type { CallState, Transitions } from '../../core/index.js';
import type { NameMatch } from '../../kyc/index.js';

/**
 * States of an account's verification. DUE: the bank has not answered yet. PROCESSING: the bank has accepted the
 * verification and is polled. MISMATCHED: the names of the user, the bank and the PAN differ, so that no issuer gets the account, also
 * while an operator looks at the names because the user has asked for it. BLOCKED: frozen, closed or not usable. INVALID: the
 * bank has no such account. ABANDONED: no answer for a day, no result, or an answer that was not compared because too many
 * names had not matched before.
 */
export type AccountState =
  'DUE' | 'PROCESSING' | 'VERIFIED' | 'MISMATCHED' | 'BLOCKED' | 'INVALID' | 'ABANDONED';
type AccountEvent = 'ACCEPTED' | 'FORGOTTEN' | 'PUT_OFF' | 'ASKED_AGAIN' | keyof typeof VERIFICATION_RESULTS;

const VERIFICATION_RESULTS = {
  MATCHED: 'VERIFIED',
  DIFFERED: 'MISMATCHED',
  BLOCKED: 'BLOCKED',
  UNKNOWN: 'INVALID',
  GIVEN_UP: 'ABANDONED',
} as const;

export const ACCOUNT_TRANSITIONS: Transitions<AccountState, AccountEvent> = {
  // a verification without result and payment is restarted later
  DUE: { ACCEPTED: 'PROCESSING', PUT_OFF: 'DUE', ...VERIFICATION_RESULTS },
  // the bank no longer knows the verification: it is restarted
  PROCESSING: { ACCEPTED: 'PROCESSING', FORGOTTEN: 'DUE', PUT_OFF: 'DUE', ...VERIFICATION_RESULTS },
  // a PAN that is verified later is compared with the holder's name
  VERIFIED: { MATCHED: 'VERIFIED', DIFFERED: 'MISMATCHED' },
  // a new holder's name is compared with the bank's answer, or an operator accepts names that differ
  MISMATCHED: { MATCHED: 'VERIFIED', DIFFERED: 'MISMATCHED' },
  BLOCKED: { ASKED_AGAIN: 'DUE' },
  INVALID: { ASKED_AGAIN: 'DUE' },
  ABANDONED: { ASKED_AGAIN: 'DUE' },
};

/**
 * Review of names that match, but not well enough to register the account, or that differ, if the user has asked for it.
 * WAITING: an operator has to decide. ACCEPTED: the account is registered. REFUSED: the service refuses the same names from
 * now on. Null: no review is needed, or none was asked for.
 */
export type NameReview = 'WAITING' | 'ACCEPTED' | 'REFUSED' | null;

/** Whether names with this result need a decision of an operator. @param isAsked whether the user wants one for names that differ */
export const reviewOf = (band: NameMatch['band'], isAsked: boolean): 'WAITING' | null =>
  band === 'REVIEW' || (band === 'MISMATCH' && isAsked) ? 'WAITING' : null;

/** Reason for which a verified account, or one with names in review, waits, also that of the step BANK. */
type BankWait = 'BANK_NAME_IN_REVIEW' | 'PAN_NOT_VERIFIED';

/** Columns that decide whether issuers get an account. */
export interface ComparedAccount {
  readonly state: AccountState;
  readonly isCompared: boolean;
  readonly review: NameReview;
}

/** Whether names that differ wait for an operator. The account is not verified meanwhile. */
export function isMismatchInReview({ state, review }: Pick<ComparedAccount, 'state' | 'review'>): boolean {
  return state === 'MISMATCHED' && review === 'WAITING';
}

/** As `isMismatchInReview`: SQL about an account `a`. */
export const IS_MISMATCH_IN_REVIEW = "a.state = 'MISMATCHED' AND a.nameReview = 'WAITING'";

/** Returns why an account waits for a PAN or a review; null if it does not. */
export function waitOf(account: ComparedAccount): BankWait | null {
  const { state, isCompared, review } = account;
  if (isMismatchInReview(account)) return 'BANK_NAME_IN_REVIEW';
  if (state !== 'VERIFIED') return null;
  if (review === 'WAITING') return 'BANK_NAME_IN_REVIEW';
  return isCompared ? null : 'PAN_NOT_VERIFIED';
}

/**
 * Whether a verified account still has to be compared with a PAN, because its user has none yet, or has lost the PAN that
 * named the holder. It may be in review at the same time.
 */
export function isUncompared({ state, isCompared }: Omit<ComparedAccount, 'review'>): boolean {
  return state === 'VERIFIED' && !isCompared;
}

/** Whether an issuer may get an account: the names of the user, the bank and the PAN match. */
export function isRegistrable(account: ComparedAccount): boolean {
  return account.state === 'VERIFIED' && waitOf(account) === null;
}

/** As `isRegistrable`: SQL about an account `a`. */
export const IS_REGISTRABLE =
  "a.state = 'VERIFIED' AND a.isCompared AND a.nameReview IS DISTINCT FROM 'WAITING'";

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
  // ASKED_AGAIN: for the next PAN of a user who has lost theirs
  SYNCED: { DROPPED: 'DROPPED', ASKED_AGAIN: 'DUE' },
  INVALID: { ASKED_AGAIN: 'DUE' },
  // stays registered: the issuer cannot withdraw it
  DROPPED: { ASKED_AGAIN: 'DUE', REGISTERED: 'SYNCED' },
  ABANDONED: { ASKED_AGAIN: 'DUE' },
};

/** States without a result, which the worker continues. */
export const OPEN_ACCOUNT_STATES: readonly AccountState[] = ['DUE', 'PROCESSING'];
export const OPEN_REGISTRATION_STATES: readonly RegistrationState[] = ['DUE', 'ACCEPTED'];

/**
 * Whether the verification, the review of names that differ, or a registration of an account is still running, so that polling
 * makes sense. A registration that waits for the user's PAN is not running.
 */
export function isInProgress(
  account: ComparedAccount,
  registration: { readonly state: RegistrationState } | undefined,
): boolean {
  if (OPEN_ACCOUNT_STATES.includes(account.state) || isMismatchInReview(account)) return true;
  if (!registration || !OPEN_REGISTRATION_STATES.includes(registration.state)) return false;
  return registration.state === 'ACCEPTED' || waitOf(account) !== 'PAN_NOT_VERIFIED';
}

/** Providers that cannot look up a verification whose start got no answer. Null: no provider has one with the current key. */
const FORGETFUL_PROVIDERS: readonly (string | null)[] = ['setu-bank', null];

type Verified = CallState<AccountState> & { readonly provider: string | null };

/** Whether a repeat of the account starts another verification. */
export function isToBeVerifiedAgain(account: Verified): boolean {
  return account.state === 'ABANDONED' || isAnotherVerification(account);
}

/** Whether a repeat starts a new verification: the bank decided the former one some time ago, or it cannot continue. */
export function isAnotherVerification({ state, isCooled, provider }: Verified): boolean {
  if (state === 'ABANDONED') return FORGETFUL_PROVIDERS.includes(provider);
  return (state === 'BLOCKED' || state === 'INVALID') && isCooled;
}

/** Final refusals of an account; only a new request of the user changes them. */
export const ACCOUNT_REFUSALS: Readonly<Partial<Record<AccountState, ErrorDefinition>>> = {
  MISMATCHED: BankErrors.holderDiffers,
  BLOCKED: BankErrors.accountBlocked,
  INVALID: GeneralErrors.fieldInvalid,
  ABANDONED: BankErrors.unavailable,
};

/** Final refusals of a registration. */
export const REGISTRATION_REFUSALS: Readonly<Partial<Record<RegistrationState, ErrorDefinition>>> = {
  INVALID: BankErrors.beneficiaryInvalid,
  ABANDONED: IssuerErrors.unavailable,
};

/** Follows the message of a refusal that a person may still overrule. */
const ASK_FOR_REVIEW = 'If the account is yours, you can ask for a review by a person (ask_for_review).';

/** The refusal of names that differ. @param canBeReviewed false if the user has asked for a review, or an operator has refused the names */
export const holderDiffers = (canBeReviewed = true): AppError =>
  BankErrors.holderDiffers({ hint: canBeReviewed ? ASK_FOR_REVIEW : undefined });

/** The final refusal of an account or its registration; undefined without one. */
export function refusalOf(
  account: Pick<ComparedAccount, 'state' | 'review'>,
  registration: { readonly state: RegistrationState } | undefined,
): AppError | undefined {
  if (account.state === 'INVALID') return GeneralErrors.fieldInvalid({ field: 'account' });
  const isInReview = isMismatchInReview(account);
  if (account.state === 'MISMATCHED' && !isInReview) return holderDiffers(account.review !== 'REFUSED');
  const refused = isInReview ? undefined : ACCOUNT_REFUSALS[account.state];
  const error = refused ?? (registration && REGISTRATION_REFUSALS[registration.state]);
  return error?.();
}
