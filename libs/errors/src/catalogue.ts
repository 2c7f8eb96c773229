import { bankErrors } from './catalogue/bank.js';
import { detailsErrors } from './catalogue/details.js';
import { emailErrors } from './catalogue/email.js';
import { issuerErrors } from './catalogue/issuer.js';
import { loginErrors } from './catalogue/login.js';
import { masterErrors } from './catalogue/master.js';
import { nomineeErrors } from './catalogue/nominee.js';
import { panErrors } from './catalogue/pan.js';
import { sessionErrors } from './catalogue/session.js';
import { usersGeneralErrors } from './catalogue/users-general.js';
import type { CatalogueEntry } from './entry.js';

/**
 * Every refusal of both services, by code. A code is never changed or taken away once it is here: clients
 * branch on it. New ones are appended in their area's block of one hundred.
 */
export const CATALOGUE = {
  ...loginErrors,
  ...sessionErrors,
  ...panErrors,
  ...issuerErrors,
  ...emailErrors,
  ...detailsErrors,
  ...bankErrors,
  ...nomineeErrors,
  ...usersGeneralErrors,
  ...masterErrors,
} as const;

export type ErrorCode = keyof typeof CATALOGUE;

export const ERROR_CODES = Object.keys(CATALOGUE) as ErrorCode[];

/** The entry of a code, with its literal types widened. */
export function entryOf(code: ErrorCode): CatalogueEntry {
  return CATALOGUE[code];
}
