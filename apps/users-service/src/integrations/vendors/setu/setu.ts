import type { ProviderFailure } from '@fd/errors';
import { z } from 'zod';
import type { SetuAccount } from '../../../config/index.js';
import type { HttpAnswer, KnownFailure, ProviderEndpoint } from '../../providers/http-exchange.js';

const error = z.object({ error: z.object({ code: z.string() }) });

/** Codes for requests that Setu refuses before doing anything. */
const FAILURES: Readonly<Record<string, ProviderFailure>> = {
  consent_not_given: 'refused',
  insufficient_reason_length: 'refused',
};

const HELP: ProviderEndpoint['help'] = {
  settings: 'SETU_URL, SETU_CLIENT_ID, SETU_CLIENT_SECRET and the SETU_..._PRODUCT_ID of the product',
  advice: {
    product:
      'Setu does not know our instance of the product: check its SETU_..._PRODUCT_ID, and that the product is enabled in the account of SETU_CLIENT_ID.',
  },
};

/** Codes about our instance of a product. None is documented. */
const PRODUCT = /product/i;

/** The endpoint of a product of Setu, whose instance has an id. See the README beside this file. */
export function setu({ name, baseUrl, clientId, clientSecret, productId }: SetuAccount): ProviderEndpoint {
  const credentials = {
    'x-client-id': clientId,
    'x-client-secret': clientSecret,
    'x-product-instance-id': productId,
  };
  return { name, baseUrl, credentials, help: HELP, failureIn };
}

/** An error may come with status 200 too. */
function failureIn({ status, body }: HttpAnswer): KnownFailure | undefined {
  const code = error.safeParse(body).data?.error.code;
  if (code === undefined) return undefined;
  const failure = Object.hasOwn(FAILURES, code) ? FAILURES[code] : undefined;
  if (failure) return { failure, code };
  if (PRODUCT.test(code)) return { failure: 'misconfigured', code: 'product' };
  // the status decides for 401, 403, 429 and 5xx; any other unknown answer must not become a verdict
  const isClear = [401, 403, 429].includes(status) || status >= 500;
  return isClear ? undefined : { failure: 'malformed', code: 'unknown code' };
}
