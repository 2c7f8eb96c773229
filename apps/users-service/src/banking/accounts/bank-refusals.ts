import { type AppError, BankErrors, type ErrorDefinition, GeneralErrors, IssuerErrors } from '@fd/errors';
import {
  type AccountState,
  OPEN_ACCOUNT_STATES,
  OPEN_REGISTRATION_STATES,
  type RegistrationState,
} from './bank.states.js';

/** Codes of accounts that are not verified and will not be unless the user asks again. */
export const REFUSALS = {
  MISMATCHED: BankErrors.holderDiffers,
  BLOCKED: BankErrors.accountBlocked,
  INVALID: GeneralErrors.fieldInvalid,
  ABANDONED: BankErrors.unavailable,
} as const satisfies Partial<Record<AccountState, ErrorDefinition>>;

/** Codes of registrations that failed. */
export const REGISTRATION_REFUSALS = {
  INVALID: BankErrors.beneficiaryInvalid,
  ABANDONED: IssuerErrors.unavailable,
} as const satisfies Partial<Record<RegistrationState, ErrorDefinition>>;

/**
 * Why an account cannot be used: BankErrors.holderDiffers, BankErrors.accountBlocked, GeneralErrors.fieldInvalid
 * naming the account, BankErrors.unavailable; undefined when it can.
 */
export function refusalOf({ state }: { readonly state: AccountState }): AppError | undefined {
  if (!isKeyOf(REFUSALS, state)) return undefined;
  return REFUSALS[state](state === 'INVALID' ? { field: 'account' } : {});
}

/** Why a registration failed: BankErrors.beneficiaryInvalid, IssuerErrors.unavailable; undefined when it did not. */
export function registrationRefusalOf(
  registration: { readonly state: RegistrationState } | undefined,
): AppError | undefined {
  return registration && isKeyOf(REGISTRATION_REFUSALS, registration.state)
    ? REGISTRATION_REFUSALS[registration.state]()
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
