import type { SmsConfig, SmsProviderSettings } from '../../../config/index.js';
import type { SmsProvider } from '../sms.port.js';
import { HttpSmsAdapter } from './http/http-sms.adapter.js';
import { Msg91SmsAdapter } from './msg91/msg91-sms.adapter.js';
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
      return new TwilioSmsAdapter(settings);
  }
}
