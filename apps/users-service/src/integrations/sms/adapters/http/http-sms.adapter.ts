import { z } from 'zod';
import { renderedSms, type SmsConfig } from '../../../../config/index.js';
import type { ProviderEndpoint } from '../../../providers/http-exchange.js';
import { ask } from '../../../providers/provider-client.js';
import type { SmsMessage, SmsProvider } from '../../sms.port.js';

const accepted = z.object({ message_id: z.string().min(1).max(200) });

/** Delivers messages over a provider's HTTP API: one POST with a Bearer key, answered 2xx with a `message_id`. */
export class HttpSmsAdapter implements SmsProvider {
  readonly name: string;
  readonly deliversOnce = true;

  constructor(
    private readonly endpoint: ProviderEndpoint,
    private readonly registration: Pick<SmsConfig, 'dltEntityId' | 'dltHeader' | 'templates' | 'texts'>,
  ) {
    this.name = endpoint.name;
  }

  async send(message: SmsMessage, signal: AbortSignal): Promise<void> {
    const { baseUrl: url } = this.endpoint;
    const { idempotencyKey } = message;
    const call = { url, idempotencyKey, body: this.bodyOf(message), shape: accepted };
    await ask(this.endpoint, call, signal);
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
