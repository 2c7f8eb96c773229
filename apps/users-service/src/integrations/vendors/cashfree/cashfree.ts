import type { ProviderFailure } from '@fd/errors';
import { z } from 'zod';
import type { VendorAccount } from '../../../config/index.js';
import type { HttpAnswer, KnownFailure, ProviderEndpoint } from '../../providers/http-exchange.js';

/** The version of Cashfree's API that our adapters are written for. */
const API_VERSION = '2024-12-01';

const error = z.object({ type: z.string(), code: z.string(), message: z.string().optional() });

/** Codes that are more specific than the status. */
const FAILURES: Readonly<Record<string, ProviderFailure>> = {
  authentication_failed: 'misconfigured',
  insufficient_balance: 'misconfigured',
  ip_validation_failed: 'misconfigured',
  too_many_requests_per_ip: 'unavailable',
  too_many_requests_per_operation: 'unavailable',
  // Cashfree's data source is down: nothing was verified or charged
  api_error: 'unavailable',
  request_failed: 'unavailable',
  verification_failed: 'unavailable',
  // an earlier try arrived; its outcome is unknown
  invalid_verification_id: 'timeout',
  verification_id_already_exists: 'timeout',
  // refused before any look-up: `doctor` provokes them
  pan_length_short: 'refused',
  pan_missing: 'refused',
  pan_value_invalid: 'refused',
};

/** The text of `invalid_request` for a product that our account does not have. */
const NOT_ENABLED = /\bnot enabled\b/i;

/** Codes for missing or wrong credentials, such as `x-client-id_missing`. */
const CREDENTIALS = /^x-(?:client-id|client-secret|api-version)_/;

const HELP: ProviderEndpoint['help'] = {
  settings: 'CASHFREE_URL, CASHFREE_CLIENT_ID and CASHFREE_CLIENT_SECRET',
  advice: {
    authentication_failed:
      'Cashfree refuses our key: check CASHFREE_CLIENT_ID and CASHFREE_CLIENT_SECRET, and that both are of the environment of CASHFREE_URL (test or live).',
    credentials:
      'Cashfree rejects our key: check that CASHFREE_CLIENT_ID and CASHFREE_CLIENT_SECRET are of Secure ID and of the environment (test or live) of CASHFREE_URL, without missing or extra characters.',
    'not enabled':
      'Cashfree has not enabled this product: have it enabled in the dashboard of the account of CASHFREE_CLIENT_ID.',
    'not served':
      'Cashfree does not serve this call: check the path of CASHFREE_URL (it ends with /verification), that the key is of Secure ID, and that the product is enabled in the dashboard.',
    ip_validation_failed:
      'Cashfree does not know our address: add our egress addresses (IPv4) to the allow-list in its dashboard.',
    insufficient_balance: 'The wallet is empty: put money into it, and set an alert on its balance.',
    api_error: 'The source of Cashfree is down: see the status page of Cashfree, and run this again.',
  },
};

/** The endpoint of a product of Cashfree Secure ID. See the README beside this file. */
export function cashfree({ name, baseUrl, clientId, clientSecret }: VendorAccount): ProviderEndpoint {
  const credentials = {
    'x-client-id': clientId,
    'x-client-secret': clientSecret,
    'x-api-version': API_VERSION,
  };
  return { name, baseUrl, credentials, help: HELP, failureIn };
}

/** An error may come with status 200 too. */
function failureIn({ status, body }: HttpAnswer): KnownFailure | undefined {
  const { type, code, message = '' } = error.safeParse(body).data ?? {};
  if (code === undefined) return undefined;
  const failure = Object.hasOwn(FAILURES, code) ? FAILURES[code] : undefined;
  // `api_error` and `request_failed` of a path, or a product of our account, that does not exist
  if (status === 404 && failure === 'unavailable') return { failure: 'misconfigured', code: 'not served' };
  if (failure) return { failure, code };
  if (code === 'invalid_request' && NOT_ENABLED.test(message))
    return { failure: 'misconfigured', code: 'not enabled' };
  if (CREDENTIALS.test(code)) return { failure: 'misconfigured', code: 'credentials' };
  if (type === 'validation_error') return { failure: 'refused', code: 'validation_error' };
  // the status decides for 401, 403, 429 and 5xx; any other unknown answer must not become a verdict
  const isClear = [401, 403, 429].includes(status) || status >= 500;
  return isClear ? undefined : { failure: 'malformed', code: 'unknown code' };
}
