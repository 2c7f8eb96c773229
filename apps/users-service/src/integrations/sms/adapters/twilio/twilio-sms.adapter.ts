import { ProviderError, type ProviderFailure } from '@fd/errors';
import { z } from 'zod';
import { renderedSms, type SmsConfig, type SmsProviderSettings } from '../../../../config/index.js';
import type { ProviderEndpoint } from '../../../providers/http-exchange.js';
import { ask, failureOf } from '../../../providers/provider-client.js';
import type { SmsMessage, SmsProvider } from '../../sms.port.js';

const accepted = z.object({ sid: z.string().min(1).max(100), status: z.string() });
const refusal = z.object({ code: z.int() });

/** States of an undelivered message. */
const FAILED_STATES = ['failed', 'undelivered', 'canceled'];

/**
 * Codes that are more specific than the status: errors of the account, its sender or its registration. `misconfigured`
 * stops all messages for a while, so a code that one phone can cause, as 21612 may, is `refused`.
 */
const FAILURES: Readonly<Record<number, ProviderFailure>> = {
  20003: 'misconfigured',
  20429: 'unavailable',
  21212: 'misconfigured',
  21408: 'misconfigured',
  21606: 'misconfigured',
  21611: 'unavailable',
  21701: 'misconfigured',
  21705: 'misconfigured',
  21901: 'misconfigured',
};

/** Lower codes are about our account; these are about one message, also with 401 or 403. */
const FIRST_CODE_OF_MESSAGES = 21_000;

/** Codes of errors are documented numbers. */
export const twilioFailureIn = (({ status, body }) => {
  const code = refusal.safeParse(body).data?.code;
  if (code === undefined) return undefined;
  const isRefusedMessage = status <= 404 && code >= FIRST_CODE_OF_MESSAGES;
  const failure = FAILURES[code] ?? (isRefusedMessage ? 'refused' : failureOf(status));
  return { failure, code: String(code) };
}) satisfies ProviderEndpoint['failureIn'];

/** Maximum validity at Twilio, in seconds. */
const MAX_VALIDITY = 36_000;

/** Twilio's Messages resource takes the whole text. See the README beside this file. */
export class TwilioSmsAdapter implements SmsProvider {
  readonly name: string;
  readonly deliversOnce = false;

  constructor(
    private readonly endpoint: ProviderEndpoint,
    private readonly settings: Extract<SmsProviderSettings, { kind: 'twilio' }>,
    private readonly texts: SmsConfig['texts'],
  ) {
    this.name = endpoint.name;
  }

  async send(message: SmsMessage, signal: AbortSignal): Promise<void> {
    const url = `${this.endpoint.baseUrl}/2010-04-01/Accounts/${this.settings.accountSid}/Messages.json`;
    const call = { url, body: this.formOf(message), shape: accepted };
    const { status } = await ask(this.endpoint, call, signal);
    if (FAILED_STATES.includes(status)) throw new ProviderError(this.name, 'refused', { detail: status });
  }

  private formOf({ phone, templateId, variables, usefulMs }: SmsMessage): URLSearchParams {
    const { from } = this.settings;
    const seconds = Math.min(MAX_VALIDITY, Math.floor(usefulMs / 1_000));
    return new URLSearchParams({
      To: `+${phone}`,
      [from.startsWith('MG') ? 'MessagingServiceSid' : 'From']: from,
      Body: renderedSms(this.texts[templateId], variables),
      ...(seconds > 0 ? { ValidityPeriod: String(seconds) } : {}),
    });
  }
}
