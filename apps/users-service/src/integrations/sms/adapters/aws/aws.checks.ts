import type { SmsProviderSettings } from '../../../../config/index.js';
import type { VendorCheck } from '../../../doctor/vendor-check.js';
import type { ProviderEndpoint } from '../../../providers/http-exchange.js';
import { checkMessage } from '../sms.checks.js';
import { type AwsSmsAdapter, SENDER_REASONS } from './aws-sms.adapter.js';

const SENDER =
  'Our sender may not send to India: check AWS_SMS_ORIGINATION, and its registration and region in the console of AWS.';
const SIGNATURE =
  'AWS refuses our signature: check that AWS_SMS_SECRET_ACCESS_KEY is whole and belongs to AWS_SMS_ACCESS_KEY_ID, then the clock of this machine.';
const KEY =
  'AWS does not know our key, or it has expired: check AWS_SMS_ACCESS_KEY_ID and AWS_SMS_SECRET_ACCESS_KEY, or the role of the pod.';

const each = (codes: readonly string[], remedy: string): Record<string, string> =>
  Object.fromEntries(codes.map((code) => [code, remedy]));

export const AWS_HELP: ProviderEndpoint['help'] = {
  settings: 'AWS_SMS_REGION, AWS_SMS_URL, AWS_SMS_ACCESS_KEY_ID and AWS_SMS_SECRET_ACCESS_KEY',
  advice: {
    'no credentials':
      'The SDK finds no credentials: set AWS_SMS_ACCESS_KEY_ID and AWS_SMS_SECRET_ACCESS_KEY, or give the pod a role.',
    AccessDeniedException:
      'The user of AWS_SMS_ACCESS_KEY_ID, or the role of the pod, needs the permission sms-voice:SendTextMessage.',
    // the SDK drops the fields that it does not know
    MessageId:
      'The answer is not that of AWS, or its contract has changed: check AWS_SMS_REGION, AWS_SMS_URL and the proxy; if they are right, do not roll out, and update the SDK.',
    ...each(['IncompleteSignature', 'InvalidSignatureException', 'RequestExpired'], SIGNATURE),
    ...each(
      [
        'ExpiredTokenException',
        'InvalidClientTokenId',
        'MissingAuthenticationToken',
        'NotAuthorized',
        'UnrecognizedClientException',
      ],
      KEY,
    ),
    OptInRequired:
      'AWS End User Messaging is not enabled for the account of AWS_SMS_ACCESS_KEY_ID in AWS_SMS_REGION: enable it in the console of AWS.',
    ACCOUNT_DISABLED: 'The account is disabled: ask the support of AWS.',
    MONTHLY_SPEND_LIMIT_REACHED_FOR_TEXT:
      'The spending limit of the month is reached: raise it in the console of AWS, and set an alert on it.',
    DESTINATION_PHONE_NUMBER_NOT_VERIFIED:
      'The account is in the SMS sandbox of AWS, which sends to verified numbers only: ask for production access.',
    ...each(['ResourceNotFoundException', ...SENDER_REASONS], SENDER),
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
