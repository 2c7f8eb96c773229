import { type AppError, BankErrors, type ErrorDefinition, GeneralErrors, IssuerErrors } from '@fd/errors';
import type { BankAccount, BankSync } from './bank-account.js';
import { type AccountState, OPEN_ACCOUNT_STATES, OPEN_SYNC_STATES, type SyncState } from './bank.states.js';

/** What is answered for an account that is not verified and will not be unless somebody asks again. */
export const REFUSALS = {
  MISMATCHED: BankErrors.holderDiffers,
  BLOCKED: BankErrors.accountBlocked,
  INVALID: GeneralErrors.fieldInvalid,
  ABANDONED: BankErrors.unavailable,
} as const satisfies Partial<Record<AccountState, ErrorDefinition>>;

/** What is answered for a registration that failed. */
export const SYNC_REFUSALS = {
  INVALID: BankErrors.beneficiaryInvalid,
  ABANDONED: IssuerErrors.unavailable,
} as const satisfies Partial<Record<SyncState, ErrorDefinition>>;

/**
 * Why an account cannot be used: BankErrors.holderDiffers, BankErrors.accountBlocked, GeneralErrors.fieldInvalid
 * naming the account, BankErrors.unavailable; undefined when it can.
 */
export function refusalOf({ state }: Pick<BankAccount, 'state'>): AppError | undefined {
  if (!isKeyOf(REFUSALS, state)) return undefined;
  return REFUSALS[state](state === 'INVALID' ? { field: 'account' } : {});
}

/** Why a registration failed: BankErrors.beneficiaryInvalid, IssuerErrors.unavailable; undefined when it did not. */
export function syncRefusalOf(sync: Pick<BankSync, 'state'> | undefined): AppError | undefined {
  return sync && isKeyOf(SYNC_REFUSALS, sync.state) ? SYNC_REFUSALS[sync.state]() : undefined;
}

/** Whether the bank or the issuer still works on it. */
export function isPending(
  account: Pick<BankAccount, 'state'>,
  sync: Pick<BankSync, 'state'> | undefined,
): boolean {
  return (
    OPEN_ACCOUNT_STATES.includes(account.state) ||
    (sync !== undefined && OPEN_SYNC_STATES.includes(sync.state))
  );
}

function isKeyOf<Table extends object>(table: Table, key: PropertyKey): key is keyof Table {
  return key in table;
}
