import type { ProviderFailure } from '@fd/errors';
import { z } from 'zod';
import type { SetuAccount } from '../../../config/index.js';
import type { HttpAnswer } from '../../providers/http-exchange.js';
import type { KnownFailure, ProviderEndpoint } from '../../providers/provider-endpoint.js';

const error = z.object({ error: z.object({ code: z.string() }) });

/** Their codes for a call that was refused before anything was done. */
const FAILURES: Readonly<Record<string, ProviderFailure>> = {
  consent_not_given: 'refused',
  insufficient_reason_length: 'refused',
};

const HELP: ProviderEndpoint['help'] = {
  settings: 'SETU_URL, SETU_CLIENT_ID, SETU_CLIENT_SECRET and the SETU_..._PRODUCT_ID of the product',
};

/** Setu's data products: each has an instance with an id of its own. See the README beside this file. */
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
  // of 401, 403, 429 and 5xx the status is enough; what else is unknown must not become a verdict
  const isClear = [401, 403, 429].includes(status) || status >= 500;
  return isClear ? undefined : { failure: 'malformed', code: 'unknown code' };
}
