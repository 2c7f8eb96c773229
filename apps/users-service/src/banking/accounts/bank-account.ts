import type { Issuer } from '../../config/index.js';
import type { CallState } from '../../core/index.js';
import type { NameMatch } from '../name-matching/scoring.js';
import type { AccountState, RegistrationState } from './bank.states.js';

/** The account holder's name. */
export interface Holder {
  /** As sent to the bank with the present key: a repeated try must not differ from the first. */
  readonly sent: string;
  /** As the user gave it last. */
  readonly claimed: string;
}

/** An account as a user gives it. */
export interface GivenAccount {
  readonly userId: string;
  readonly account: string;
  readonly ifsc: string;
  readonly holderName: string;
}

/** An account of a user with the state of its verification. Never send it on or log it as it is. */
export interface BankAccount extends CallState<AccountState> {
  readonly userId: string;
  readonly account: string;
  readonly ifsc: string;
  readonly holder: Holder;
  readonly nameAtBank: string | null;
  readonly bankName: string | null;
  /** Result of the comparison of names that decided the state last. */
  readonly match: NameMatch | null;
  /** Whether the PAN's name was compared. Until it is, a verified account may still be refused. */
  readonly isCompared: boolean;
}

/** What a bank says of a valid account, with the result of the comparison of names. */
export interface NamedResult {
  readonly state: AccountState;
  readonly nameAtBank: string;
  readonly bankName: string;
  readonly match: NameMatch;
  readonly isCompared: boolean;
}

/** The registration of an account at an issuer. */
export interface AccountRegistration extends CallState<RegistrationState> {
  readonly accountId: string;
  /** Owner of the account. */
  readonly userId: string;
  readonly issuerSlug: string;
  /** The issuer's own id of the registration. */
  readonly reference: string | null;
}

/** Status of a verification, for the client. */
export interface VerificationStatus {
  readonly account: BankAccount;
  /** Result of the comparison of the given names; null until the bank has answered. */
  readonly match: NameMatch | null;
  readonly issuer: Issuer | undefined;
  readonly registration: AccountRegistration | undefined;
}
