import { ProviderError } from '@fd/errors';
import { z } from 'zod';
import { type ProviderAddress, renderedSms, type SmsConfig } from '../../../../config/index.js';
import { bearer, exchange } from '../../../providers/http-exchange.js';
import { statusError } from '../../../providers/provider-client.js';
import type { SmsMessage, SmsProvider } from '../../sms.port.js';

const accepted = z.object({ message_id: z.string().min(1).max(200) });

/** Delivers messages over a provider's HTTP API: one POST with a Bearer key, answered 2xx with a `message_id`. */
export class HttpSmsAdapter implements SmsProvider {
  readonly name: string;
  readonly deliversOnce = true;

  constructor(
    private readonly address: ProviderAddress,
    private readonly registration: Pick<SmsConfig, 'dltEntityId' | 'dltHeader' | 'templates' | 'texts'>,
  ) {
    this.name = address.name;
  }

  async send(message: SmsMessage, signal: AbortSignal): Promise<void> {
    const call = {
      method: 'POST',
      url: this.address.baseUrl,
      credentials: bearer(this.address.apiKey),
      idempotencyKey: message.idempotencyKey,
      body: this.bodyOf(message),
    } as const;
    const reply = await exchange(this.name, call, signal);
    const { status, body } = reply;
    const detail = `status ${status}`;
    if (status < 200 || status > 299) throw statusError(this.name, reply);
    if (!accepted.safeParse(body).success) throw new ProviderError(this.name, 'malformed', { detail });
  }
  /** Omits unregistered values, since JSON has no undefined. */
  private bodyOf({ phone, templateId, variables }: SmsMessage): object {
    const { dltEntityId, dltHeader, templates, texts } = this.registration;
    return {
      to: phone,
      template_id: templateId,
      text: renderedSms(texts[templateId], variables),
      variables,
      dlt_entity_id: dltEntityId,
      dlt_header: dltHeader,
      dlt_template_id: templates[templateId]?.dltTemplateId,
    };
  }
}
