import { v7 as uuidv7 } from 'uuid';
import { z } from 'zod';
import { isRegistered, type SmsConfig, SMS_TEXTS, type SmsTemplateId } from '../../../config/index.js';
import { CheckFault, isRefused, type VendorCheck } from '../../doctor/vendor-check.js';
import type { ProviderEndpoint } from '../../providers/http-exchange.js';
import { ask } from '../../providers/provider-client.js';
import type { SmsMessage, SmsProvider } from '../sms.port.js';

export const SMS_TEMPLATE_IDS = Object.keys(SMS_TEXTS) as SmsTemplateId[];

/** Compares our text with the registered one. */
export const registeredTexts = ({ templates, texts }: SmsConfig): VendorCheck => ({
  name: 'registered texts',
  run: () => {
    for (const id of SMS_TEMPLATE_IDS) {
      const registered = templates[id];
      if (!registered) {
        throw new CheckFault(
          `${id} is not registered`,
          `Register the text with the operators, and put it into SMS_TEMPLATES: ${texts[id]}`,
        );
      }
      if (!isRegistered(texts[id], registered)) {
        throw new CheckFault(
          `${id} has a registered text that differs from the sent text`,
          `Operators drop it without a word. Register this text, with a numeric hole for each value, and put it into SMS_TEMPLATES: ${texts[id]}`,
        );
      }
    }
    return Promise.resolve('sent texts equal the registered texts');
  },
});

const TEST_PHONE = '919812345678';

/** A login message with an invalid code. */
export const checkMessage = (phone = TEST_PHONE): SmsMessage => ({
  phone,
  templateId: 'login_otp',
  variables: { code: '000000', minutes: '1' },
  idempotencyKey: uuidv7(),
  usefulMs: 0,
});

export const messageCheck = (provider: SmsProvider, timeoutMs: number): VendorCheck => ({
  name: 'message',
  paid: { cost: 'one message', needs: ['phone'], testValues: { phone: TEST_PHONE } },
  run: async ({ phone }) => {
    await provider.send(checkMessage(phone), AbortSignal.timeout(timeoutMs));
    return 'accepted; check delivery on the phone';
  },
});

/** Free: our format refuses a message without a recipient. */
export const httpSmsCredentials = (endpoint: ProviderEndpoint): VendorCheck => ({
  name: 'credentials',
  run: () => {
    const call = { url: endpoint.baseUrl, body: {}, shape: z.looseObject({}) };
    return isRefused(ask(endpoint, call), /: invalid_request$/);
  },
});
