import { AppError, type ErrorCode } from '@fd/errors';
import {
  type AccountState,
  OPEN_ACCOUNT_STATES,
  OPEN_REGISTRATION_STATES,
  type RegistrationState,
} from './bank.states.js';

/** Codes of accounts that are not verified and will not be unless the user asks again. */
export const REFUSALS = {
  MISMATCHED: 'SVCUSER1055',
  BLOCKED: 'SVCUSER2752',
  INVALID: 'SVCUSER2904',
  ABANDONED: 'SVCUSER2753',
} as const satisfies Partial<Record<AccountState, ErrorCode>>;

/** Codes of registrations that failed. */
export const REGISTRATION_REFUSALS = {
  INVALID: 'SVCUSER1454',
  ABANDONED: 'SVCUSER2403',
} as const satisfies Partial<Record<RegistrationState, ErrorCode>>;

/** Why an account cannot be used: SVCUSER1055, 2752, 2904 naming the account, 2753; undefined when it can. */
export function refusalOf({ state }: { readonly state: AccountState }): AppError | undefined {
  if (!isKeyOf(REFUSALS, state)) return undefined;
  return new AppError(REFUSALS[state], state === 'INVALID' ? { field: 'account' } : {});
}

/** Why a registration failed: SVCUSER1454, 2403; undefined when it did not. */
export function registrationRefusalOf(
  registration: { readonly state: RegistrationState } | undefined,
): AppError | undefined {
  return registration && isKeyOf(REGISTRATION_REFUSALS, registration.state)
    ? new AppError(REGISTRATION_REFUSALS[registration.state])
    : undefined;
}

/** Whether the bank or the issuer still works on it. */
export function isPending(
  account: { readonly state: AccountState },
  registration: { readonly state: RegistrationState } | undefined,
): boolean {
  return (
    OPEN_ACCOUNT_STATES.includes(account.state) ||
    (registration !== undefined && OPEN_REGISTRATION_STATES.includes(registration.state))
  );
}

function isKeyOf<Table extends object>(table: Table, key: PropertyKey): key is keyof Table {
  return key in table;
}
