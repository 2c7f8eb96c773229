import type { Issuer } from '../../config/index.js';
import type { NameMatch } from '../name-matching/index.js';
import type { AccountState, SyncState } from './bank.states.js';

/** Whose account it is said to be. */
export interface Holder {
  /** As the bank is asked with the present key: a try that is repeated must not differ from the first. */
  readonly sent: string;
  /** As given last. */
  readonly claimed: string;
}

/** An account as a user gives it. */
export interface GivenAccount {
  readonly userId: string;
  readonly account: string;
  readonly ifsc: string;
  readonly holderName: string;
}

/** An account of a user with the state of its verification. Never to be sent on or logged as it is. */
export interface BankAccount {
  /** Id of the verification, too. */
  readonly id: string;
  readonly userId: string;
  readonly state: AccountState;
  readonly account: string;
  readonly ifsc: string;
  readonly holder: Holder;
  readonly nameAtBank: string | null;
  readonly bankName: string | null;
  /** Of the names that were compared last when the state was decided. */
  readonly match: NameMatch | null;
  /** Whether the PAN's name was among them. Until it is, nothing is settled for good. */
  readonly isCompared: boolean;
  readonly idempotencyKey: string;
  /** The bank's own id of a verification that it has taken. */
  readonly receipt: string | null;
  /** Failures, or polls, in a row. */
  readonly tries: number;
  readonly isLeased: boolean;
  /** Whether the bank's "no" is old enough to ask again. */
  readonly isCooled: boolean;
  readonly isOverdue: boolean;
}

/** What a bank says of a valid account, and what the comparison of names made of it. */
export interface NamedResult {
  readonly state: AccountState;
  readonly nameAtBank: string;
  readonly bankName: string;
  readonly match: NameMatch;
  readonly isCompared: boolean;
}

/** As much of an account as giving it up takes: nothing that is encrypted. */
export type BankAccountState = Pick<BankAccount, 'id' | 'userId' | 'state' | 'isLeased' | 'isOverdue'>;

/** The registration of an account at an issuer. */
export interface BankSync {
  readonly id: string;
  readonly accountId: string;
  /** Whose account it is. */
  readonly userId: string;
  readonly issuerSlug: string;
  readonly state: SyncState;
  readonly idempotencyKey: string;
  /** The issuer's own id of a registration that it has accepted. */
  readonly receipt: string | null;
  /** The issuer's own id of the registration. */
  readonly reference: string | null;
  readonly tries: number;
  readonly isLeased: boolean;
  readonly isCooled: boolean;
  readonly isOverdue: boolean;
}

/** Where an account stands, for whoever asked. */
export interface BankStanding {
  readonly account: BankAccount;
  /** Of the names that were given; null until the bank has answered. */
  readonly match: NameMatch | null;
  readonly issuer: Issuer | undefined;
  readonly sync: BankSync | undefined;
}
