import { timeLimit } from '@fd/envelope';
import { ProviderError } from '@fd/errors';
import { z } from 'zod';
import { CheckFault, type VendorCheck } from '../../../doctor/vendor-check.js';
import { exchange, type ProviderEndpoint } from '../../../providers/http-exchange.js';
import { failureOf } from '../../../providers/provider-client.js';

const balance = z.object({ balance: z.string().regex(/^-?\d+(?:\.\d+)?$/), currency: z.string() });

const LIMIT_MS = timeLimit(8_000);

/** Free, and allowed only for the account itself. */
export const twilioBalance = (
  { name, baseUrl, credentials }: Pick<ProviderEndpoint, 'name' | 'baseUrl' | 'credentials'>,
  accountSid: string,
): VendorCheck => ({
  name: 'credentials and balance',
  run: async () => {
    const url = `${baseUrl}/2010-04-01/Accounts/${accountSid}/Balance.json`;
    const { status, body } = await exchange(
      name,
      { method: 'GET', url, credentials },
      AbortSignal.timeout(LIMIT_MS),
    );
    const detail = `status ${status}`;
    if (status !== 200) throw new ProviderError(name, failureOf(status), { detail });
    const read = balance.safeParse(body);
    if (!read.success) throw new ProviderError(name, 'malformed', { detail: `${detail}: balance` });
    if (Number(read.data.balance) > 0) return `balance ${read.data.balance} ${read.data.currency}`;
    throw new CheckFault(
      'the account has no money',
      'Put money into the account of TWILIO_ACCOUNT_SID, and set an alert on its balance.',
    );
  },
});
