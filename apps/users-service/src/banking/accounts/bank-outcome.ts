import { AppError, type ErrorCode } from '@fd/errors';
import type { BankAccount, BankSync } from './bank-account.js';
import { type AccountState, OPEN_ACCOUNT_STATES, OPEN_SYNC_STATES, type SyncState } from './bank.states.js';

/** What is answered for an account that is not verified and will not be unless somebody asks again. */
export const REFUSALS = {
  MISMATCHED: 'SVCUSER1055',
  BLOCKED: 'SVCUSER2752',
  INVALID: 'SVCUSER2904',
  ABANDONED: 'SVCUSER2753',
} as const satisfies Partial<Record<AccountState, ErrorCode>>;

/** What is answered for a registration that failed. */
export const SYNC_REFUSALS = {
  INVALID: 'SVCUSER1454',
  ABANDONED: 'SVCUSER2403',
} as const satisfies Partial<Record<SyncState, ErrorCode>>;

/** Why an account cannot be used: SVCUSER1055, 2752, 2904 naming the account, 2753; undefined when it can. */
export function refusalOf({ state }: Pick<BankAccount, 'state'>): AppError | undefined {
  if (!isKeyOf(REFUSALS, state)) return undefined;
  return new AppError(REFUSALS[state], state === 'INVALID' ? { field: 'account' } : {});
}

/** Why a registration failed: SVCUSER1454, 2403; undefined when it did not. */
export function syncRefusalOf(sync: Pick<BankSync, 'state'> | undefined): AppError | undefined {
  return sync && isKeyOf(SYNC_REFUSALS, sync.state) ? new AppError(SYNC_REFUSALS[sync.state]) : undefined;
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
