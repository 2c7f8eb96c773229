import type { Dialect } from '../../http/outside-api.decorator.js';
import { Refusal } from '../../http/refusal.js';

/** The vendor's error types by status. */
const TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'authentication_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
  500: 'internal_error',
  503: 'internal_error',
};

/** Our types for which the vendor has another code. */
const CODES: Readonly<Record<string, string>> = {
  invalid_request: 'bank_account_value_invalid',
  internal: 'api_error',
};

const statusOf = ({ status, type }: Refusal): number => (type === 'invalid_request' ? 400 : status);

/** Cashfree's authentication and errors. It accepts no Bearer key. */
export const CASHFREE: Dialect = {
  hasKey: ({ headers }) =>
    headers.authorization === undefined &&
    ['x-client-id', 'x-client-secret', 'x-api-version'].every((name) => Boolean(headers[name])),
  keyMissing: new Refusal(401, 'authentication_failed', 'Invalid clientId and clientSecret combination'),
  addressRefused: new Refusal(403, 'ip_validation_failed', 'IP not whitelisted'),
  walletEmpty: new Refusal(422, 'insufficient_balance', 'insufficient balance to process this request'),
  statusOf,
  bodyOf: (refusal) => ({
    type: TYPES[statusOf(refusal)] ?? 'validation_error',
    code: CODES[refusal.type] ?? refusal.type,
    message: refusal.message,
  }),
};
