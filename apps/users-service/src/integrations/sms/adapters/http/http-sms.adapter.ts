import { ProviderError } from '@fd/errors';
import { z } from 'zod';
import type { ProviderAddress } from '../../config/index.js';
import { exchange } from '../providers/http-exchange.js';
import type { SmsMessage, SmsProvider } from './sms.port.js';

const accepted = z.object({ message_id: z.string().min(1).max(200) });

/** Said by something in front of the provider, which does not know what became of the message. */
const OPEN_STATUSES = [408, 502, 504];

/** Delivers messages over a provider's HTTP API: one POST with a Bearer key, answered 2xx with a `message_id`. */
export class HttpSmsAdapter implements SmsProvider {
  readonly name: string;

  constructor(private readonly address: ProviderAddress) {
    this.name = address.name;
  }

  async send(message: SmsMessage, signal: AbortSignal): Promise<void> {
    const call = {
      method: 'POST',
      url: this.address.baseUrl,
      apiKey: this.address.apiKey,
      idempotencyKey: message.idempotencyKey,
      body: { to: message.phone, template_id: message.templateId, text: message.text },
    } as const;
    const { status, body } = await exchange(this.name, call, signal);
    const detail = `status ${status}`;
    if (status === 401 || status === 403) throw new ProviderError(this.name, 'misconfigured', { detail });
    if (OPEN_STATUSES.includes(status)) throw new ProviderError(this.name, 'timeout', { detail });
    if (status < 200 || status > 299) throw new ProviderError(this.name, 'refused', { detail });
    if (!accepted.safeParse(body).success) throw new ProviderError(this.name, 'malformed', { detail });
  }
}
