import type { SmsConfig, SmsProviderSettings } from '../../../config/index.js';
import type { VendorsOf } from '../../doctor/doctor.command.js';
import { checkedVendor, type VendorCheck } from '../../doctor/vendor-check.js';
import { basic, ownFormat, type ProviderEndpoint } from '../../providers/http-exchange.js';
import type { SmsProvider } from '../sms.port.js';
import { AWS_HELP, awsDryRun, awsUrl } from './aws/aws.checks.js';
import { AwsSmsAdapter } from './aws/aws-sms.adapter.js';
import { HttpSmsAdapter } from './http/http-sms.adapter.js';
import { MSG91_HELP, msg91PanelTexts } from './msg91/msg91.checks.js';
import { msg91FailureIn, Msg91SmsAdapter } from './msg91/msg91-sms.adapter.js';
import { httpSmsCredentials, messageCheck, registeredTexts } from './sms.checks.js';
import { TWILIO_HELP, twilioChecks } from './twilio/twilio.checks.js';
import { twilioFailureIn, TwilioSmsAdapter } from './twilio/twilio-sms.adapter.js';

export function smsAdapters(config: SmsConfig): SmsProvider[] {
  return config.providers.map((settings) => adapterOf(settings, config));
}

function adapterOf(settings: SmsProviderSettings, config: SmsConfig): SmsProvider {
  const endpoint = endpointOf(settings);
  switch (settings.kind) {
    case 'http':
      return new HttpSmsAdapter(endpoint, config);
    case 'msg91':
      return new Msg91SmsAdapter(endpoint, config);
    case 'twilio':
      return new TwilioSmsAdapter(endpoint, settings, config.texts);
    case 'aws':
      return new AwsSmsAdapter(settings, config);
  }
}

/** The same providers, for the command `doctor`. */
export const smsVendors: VendorsOf = ({ sms }) =>
  sms.providers.map((settings) => {
    const adapter = adapterOf(settings, sms);
    const endpoint = endpointOf(settings);
    return checkedVendor('sms', endpoint, [
      ...ownChecks(settings, endpoint, adapter, sms),
      registeredTexts(sms),
      messageCheck(adapter, sms.timeoutMs),
    ]);
  });

/** Free calls that prove key and address. */
function ownChecks(
  settings: SmsProviderSettings,
  endpoint: ProviderEndpoint,
  adapter: SmsProvider,
  sms: SmsConfig,
): readonly VendorCheck[] {
  switch (settings.kind) {
    case 'http':
      return [httpSmsCredentials(endpoint)];
    case 'msg91':
      return [msg91PanelTexts(endpoint, sms)];
    case 'twilio':
      return twilioChecks(endpoint, settings);
    case 'aws':
      return [awsDryRun(adapter as AwsSmsAdapter, sms.timeoutMs)];
  }
}

function endpointOf(settings: SmsProviderSettings): ProviderEndpoint {
  const { name } = settings;
  switch (settings.kind) {
    case 'http':
      return ownFormat(settings);
    case 'msg91': {
      const { baseUrl, authKey: authkey } = settings;
      return { name, baseUrl, credentials: { authkey }, help: MSG91_HELP, failureIn: msg91FailureIn };
    }
    case 'twilio': {
      const { baseUrl, accountSid, authToken } = settings;
      const credentials = basic(accountSid, authToken);
      return { name, baseUrl, credentials, help: TWILIO_HELP, failureIn: twilioFailureIn };
    }
    case 'aws':
      // the SDK signs; the address alone needs no credentials
      return { name, baseUrl: awsUrl(settings), credentials: {}, help: AWS_HELP };
  }
}
