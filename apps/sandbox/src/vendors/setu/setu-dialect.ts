import type { Dialect } from '../../http/outside-api.decorator.js';
import { Refusal } from '../../http/refusal.js';

/** In every answer. */
export const SETU_TRACE_ID = '1-5759e988-bd862e3fe1be46a994272793';

/** Our types for which the vendor has another code. */
const CODES: Readonly<Record<string, string>> = {
  invalid_request: 'bad_request',
  internal: 'internal_server_error',
};

/** Authentication and errors of Setu's data products. They accept no Bearer key. */
export const SETU: Dialect = {
  hasKey: ({ headers }) =>
    headers.authorization === undefined &&
    ['x-client-id', 'x-client-secret', 'x-product-instance-id'].every((name) => Boolean(headers[name])),
  keyMissing: new Refusal(401, 'unauthorised', 'Invalid credentials'),
  walletEmpty: new Refusal(403, 'insufficient_balance', 'Wallet is empty'),
  statusOf: ({ status, type }) => (type === 'invalid_request' ? 400 : status),
  bodyOf: ({ type, message }) => ({
    error: { code: CODES[type] ?? type, detail: message, traceId: SETU_TRACE_ID },
  }),
};
