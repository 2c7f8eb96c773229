import { z } from 'zod';
import type { FineractAccount } from '../../../../config/index.js';
import { basic, type HttpAnswer } from '../../../providers/http-exchange.js';
import type { KnownFailure, ProviderEndpoint } from '../../../providers/provider-endpoint.js';

const error = z.object({ userMessageGlobalisationCode: z.string() });

/** Their codes of refusals that concern us, whatever we ask. */
const OF_OUR_ACCOUNT: readonly string[] = [
  'error.msg.not.authenticated',
  'error.msg.invalid.tenant.identifier',
  'error.msg.not.authorized',
];

/** An issuer's Apache Fineract. See the README beside this file. */
export function fineract({ name, baseUrl, tenant, user, password }: FineractAccount): ProviderEndpoint {
  const credentials = { ...basic(user, password), 'fineract-platform-tenantid': tenant };
  return { name, baseUrl, credentials, failureIn };
}

/** They answer 403 to a user without the right, to a broken rule and to a value that is there already. */
function failureIn({ status, body }: HttpAnswer): KnownFailure | undefined {
  // they roll back whatever two calls change at once, and ask for another try
  if (status === 409) return { failure: 'unavailable', code: 'conflict' };
  // a wrong address, or a data table that was not made: ids that may be gone are declared
  if (status === 404) return { failure: 'misconfigured', code: 'not found' };
  const code = error.safeParse(body).data?.userMessageGlobalisationCode;
  if (code === undefined) return undefined;
  if (OF_OUR_ACCOUNT.includes(code)) return { failure: 'misconfigured', code };
  return status === 403 ? { failure: 'refused', code: 'rule' } : undefined;
}
