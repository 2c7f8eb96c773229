import type { SmsConfig, SmsProviderSettings } from '../../../config/index.js';
import type { VendorsOf } from '../../doctor/doctor.command.js';
import { checkedVendor, type VendorCheck } from '../../doctor/vendor-check.js';
import { basic, bearer, type Credentials, type ProviderEndpoint } from '../../providers/http-exchange.js';
import type { SmsProvider } from '../sms.port.js';
import { AWS_HELP, awsDryRun, awsUrl } from './aws/aws.checks.js';
import { AwsSmsAdapter } from './aws/aws-sms.adapter.js';
import { HttpSmsAdapter } from './http/http-sms.adapter.js';
import { msg91PanelTexts } from './msg91/msg91.checks.js';
import { Msg91SmsAdapter } from './msg91/msg91-sms.adapter.js';
import { messageCheck, registeredTexts } from './sms.checks.js';
import { twilioBalance } from './twilio/twilio.checks.js';
import { TwilioSmsAdapter } from './twilio/twilio-sms.adapter.js';

/** The providers of the settings, in their order. */
export function smsAdapters(config: SmsConfig): SmsProvider[] {
  return config.providers.map((settings) => adapterOf(settings, config));
}

function adapterOf(settings: SmsProviderSettings, config: SmsConfig): SmsProvider {
  switch (settings.kind) {
    case 'http':
      return new HttpSmsAdapter(settings, config);
    case 'msg91':
      return new Msg91SmsAdapter(settings, config);
    case 'twilio':
      return new TwilioSmsAdapter(settings, config.texts);
    case 'aws':
      return new AwsSmsAdapter(settings, config);
  }
}

/** The same providers, for the command `doctor`. */
export const smsVendors: VendorsOf = ({ sms }) =>
  sms.providers.map((settings) => {
    const { kind, name } = settings;
    const baseUrl = kind === 'aws' ? awsUrl(settings) : settings.baseUrl;
    const endpoint = { name, baseUrl, credentials: credentialsOf(settings), help: helpOf(settings) };
    const adapter = adapterOf(settings, sms);
    const special: VendorCheck[] = [];
    if (settings.kind === 'msg91') special.push(msg91PanelTexts(endpoint, sms));
    if (settings.kind === 'twilio') special.push(twilioBalance(endpoint, settings.accountSid));
    if (adapter instanceof AwsSmsAdapter) special.push(awsDryRun(adapter, sms.timeoutMs));
    const message = messageCheck(adapter, sms.timeoutMs);
    return checkedVendor('sms', endpoint, [...special, registeredTexts(sms), message]);
  });

const helpOf = (given: SmsProviderSettings): ProviderEndpoint['help'] =>
  given.kind === 'http' ? { settings: given.settings } : HELP[given.kind];

type Vendor = Exclude<SmsProviderSettings['kind'], 'http'>;

const HELP: Readonly<Record<Vendor, ProviderEndpoint['help']>> = {
  msg91: {
    settings: 'MSG91_URL and MSG91_AUTH_KEY',
    advice: {
      '208': 'Allow our egress addresses for the key in MSG91_AUTH_KEY in the panel of MSG91.',
      '301': 'The wallet is empty: put money into it, and set an alert on its balance.',
      '302': 'The account has expired: ask the support of MSG91.',
      '303': 'The account is banned: ask the support of MSG91.',
      '418': 'Allow our egress addresses for the key in MSG91_AUTH_KEY in the panel of MSG91.',
    },
  },
  twilio: { settings: 'TWILIO_URL, TWILIO_ACCOUNT_SID and TWILIO_AUTH_TOKEN' },
  aws: AWS_HELP,
};

function credentialsOf(settings: SmsProviderSettings): Credentials {
  switch (settings.kind) {
    case 'http':
      return bearer(settings.apiKey);
    case 'msg91':
      return { authkey: settings.authKey };
    case 'twilio':
      return basic(settings.accountSid, settings.authToken);
    case 'aws':
      // the SDK signs; the address alone needs none
      return {};
  }
}
