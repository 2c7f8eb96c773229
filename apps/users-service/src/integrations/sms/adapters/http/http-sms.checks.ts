import { z } from 'zod';
import { ask, isRefused, type VendorCheck } from '../../../doctor/vendor-check.js';
import type { ProviderEndpoint } from '../../../providers/http-exchange.js';

/** Free: our format refuses a message without a recipient. */
export const httpSmsCredentials = (endpoint: ProviderEndpoint): VendorCheck => ({
  name: 'credentials',
  run: () => {
    const call = { method: 'POST', url: endpoint.baseUrl, body: {}, shape: z.looseObject({}) } as const;
    return isRefused(ask(endpoint, call), /: invalid_request$/);
  },
});
