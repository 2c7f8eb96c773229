import { ProviderError } from '@fd/errors';
import { z } from 'zod';
import type { SmsProviderSettings } from '../../../../config/index.js';
import { CheckFault, type VendorCheck } from '../../../doctor/vendor-check.js';
import type { ProviderEndpoint } from '../../../providers/http-exchange.js';
import { ask } from '../../../providers/provider-client.js';

const SENDER =
  'The sender is not one of the account, or may not send to India: check TWILIO_FROM, and its registration in the console of Twilio.';

export const TWILIO_HELP: ProviderEndpoint['help'] = {
  settings: 'TWILIO_URL, TWILIO_ACCOUNT_SID and TWILIO_AUTH_TOKEN',
  advice: {
    '20003': 'Twilio refuses our key: check TWILIO_ACCOUNT_SID and TWILIO_AUTH_TOKEN.',
    '20008':
      'These are the test credentials of Twilio, which send nothing: put the live ones into TWILIO_ACCOUNT_SID and TWILIO_AUTH_TOKEN.',
    '21212': SENDER,
    '21408':
      'The account may not send to India: allow it in the geographic permissions of TWILIO_ACCOUNT_SID.',
    '21606': SENDER,
    '21701': SENDER,
    '21705': SENDER,
    '21901':
      'The template is not registered: check the registration (DLT) in the account of TWILIO_ACCOUNT_SID.',
  },
};

const balance = z.object({ balance: z.string().regex(/^-?\d+(?:\.\d+)?$/), currency: z.string() });

/** In the account's currency. A message to India costs a few cents. */
const MIN_BALANCE = 1;

/** Free, and allowed only for the account itself. */
export const twilioChecks = (
  endpoint: ProviderEndpoint,
  { accountSid, from }: Extract<SmsProviderSettings, { kind: 'twilio' }>,
): readonly VendorCheck[] => [
  balanceCheck(endpoint, accountSid),
  ...(from.startsWith('MG') ? [serviceCheck(endpoint, from)] : []),
];

const balanceCheck = (endpoint: ProviderEndpoint, accountSid: string): VendorCheck => ({
  name: 'credentials and balance',
  run: async () => {
    const url = `${endpoint.baseUrl}/2010-04-01/Accounts/${accountSid}/Balance.json`;
    const { balance: amount, currency } = await ask(endpoint, { url, shape: balance });
    if (Number(amount) >= MIN_BALANCE) return `balance ${amount} ${currency}`;
    throw new CheckFault(
      `the account has no money for messages: ${amount} ${currency}`,
      'Put money into the account of TWILIO_ACCOUNT_SID, and set an alert on its balance.',
    );
  },
});

/** Messaging services have a host of their own. */
const serviceCheck = (endpoint: ProviderEndpoint, sid: string): VendorCheck => ({
  name: 'messaging service',
  run: async () => {
    const url = `${endpoint.baseUrl.replace('//api.', '//messaging.')}/v1/Services/${sid}`;
    try {
      await ask(endpoint, { url, shape: z.object({ sid: z.literal(sid) }) });
      return 'the messaging service is one of the account';
    } catch (error) {
      if (!(error instanceof ProviderError && error.detail === 'status 404: 20404')) throw error;
      throw new CheckFault(
        'the account has no messaging service with this id',
        'Copy the id of the service (MG...) from the console of Twilio into TWILIO_FROM; it must be of the account of TWILIO_ACCOUNT_SID.',
      );
    }
  },
});
