import type { SmsProviderSettings } from '../../../../config/index.js';
import type { VendorCheck } from '../../../doctor/vendor-check.js';
import type { ProviderEndpoint } from '../../../providers/http-exchange.js';
import { checkMessage } from '../sms.checks.js';
import type { AwsSmsAdapter } from './aws-sms.adapter.js';

const SENDER =
  'Our sender may not send to India: check AWS_SMS_ORIGINATION, and its registration and region in the console of AWS.';

export const AWS_HELP: ProviderEndpoint['help'] = {
  settings: 'AWS_SMS_REGION, AWS_SMS_ACCESS_KEY_ID and AWS_SMS_SECRET_ACCESS_KEY',
  advice: {
    'no credentials':
      'The SDK finds no credentials: set AWS_SMS_ACCESS_KEY_ID and AWS_SMS_SECRET_ACCESS_KEY, or give the pod a role.',
    AccessDeniedException:
      'The user of AWS_SMS_ACCESS_KEY_ID, or the role of the pod, needs the permission sms-voice:SendTextMessage.',
    ACCOUNT_DISABLED: 'The account is disabled: ask the support of AWS.',
    MONTHLY_SPEND_LIMIT_REACHED_FOR_TEXT:
      'The spending limit of the month is reached: raise it in the console of AWS, and set an alert on it.',
    DESTINATION_PHONE_NUMBER_NOT_VERIFIED:
      'The account is in the SMS sandbox of AWS, which sends to verified numbers only: ask for production access.',
    ResourceNotFoundException: SENDER,
    ...Object.fromEntries(
      [
        'COUNTRY_NOT_ENABLED',
        'INVALID_IDENTITY_FOR_DESTINATION_COUNTRY',
        'NO_ORIGINATION_IDENTITIES_FOUND',
        'REGISTRATION_NOT_COMPLETE',
        'RESOURCE_NOT_ACTIVE',
        'SENDER_ID_NOT_REGISTERED',
        'SENDER_ID_REQUIRES_REGISTRATION',
      ].map((reason) => [reason, SENDER]),
    ),
  },
};

/** The address that `doctor` reaches. */
export const awsUrl = ({ endpoint, region }: Extract<SmsProviderSettings, { kind: 'aws' }>): string =>
  endpoint ?? `https://sms-voice.${region}.amazonaws.com`;

/** Free: AWS validates the message and does not send it. */
export const awsDryRun = (adapter: AwsSmsAdapter, timeoutMs: number): VendorCheck => ({
  name: 'dry run of a message',
  run: async () => {
    await adapter.dryRun(checkMessage(), AbortSignal.timeout(timeoutMs));
    return 'key, sender and registration are accepted; nothing was sent';
  },
});
