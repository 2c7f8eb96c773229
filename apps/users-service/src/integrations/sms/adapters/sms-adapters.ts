import type { SmsConfig, SmsProviderSettings } from '../../../config/index.js';
import type { VendorsOf } from '../../doctor/doctor.command.js';
import { checkedVendor } from '../../doctor/vendor-check.js';
import { basic, ownFormat } from '../../providers/http-exchange.js';
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
  return config.providers.map((settings) => vendorOf(settings, config).adapter);
}

/** The same providers, for the command `doctor`. */
export const smsVendors: VendorsOf = ({ sms }) =>
  sms.providers.map((settings) => {
    const { endpoint, adapter, checks } = vendorOf(settings, sms);
    const common = [registeredTexts(sms), messageCheck(adapter, sms.timeoutMs)];
    return checkedVendor('sms', endpoint, [...checks, ...common]);
  });

/** An adapter with the free calls that prove its key and address. */
function vendorOf(settings: SmsProviderSettings, config: SmsConfig) {
  const { name } = settings;
  switch (settings.kind) {
    case 'http': {
      const endpoint = ownFormat(settings);
      return {
        endpoint,
        adapter: new HttpSmsAdapter(endpoint, config),
        checks: [httpSmsCredentials(endpoint)],
      };
    }
    case 'msg91': {
      const { baseUrl, authKey: authkey } = settings;
      const endpoint = {
        name,
        baseUrl,
        credentials: { authkey },
        help: MSG91_HELP,
        failureIn: msg91FailureIn,
      };
      const adapter = new Msg91SmsAdapter(endpoint, config);
      return { endpoint, adapter, checks: [msg91PanelTexts(endpoint, config)] };
    }
    case 'twilio': {
      const { baseUrl, accountSid, authToken } = settings;
      const credentials = basic(accountSid, authToken);
      const endpoint = { name, baseUrl, credentials, help: TWILIO_HELP, failureIn: twilioFailureIn };
      const adapter = new TwilioSmsAdapter(endpoint, settings, config.texts);
      return { endpoint, adapter, checks: twilioChecks(endpoint, settings) };
    }
    case 'aws': {
      // the SDK signs; the address alone needs no credentials
      const endpoint = { name, baseUrl: awsUrl(settings), credentials: {}, help: AWS_HELP };
      const adapter = new AwsSmsAdapter(settings, config);
      return { endpoint, adapter, checks: [awsDryRun(adapter, config.timeoutMs)] };
    }
  }
}
