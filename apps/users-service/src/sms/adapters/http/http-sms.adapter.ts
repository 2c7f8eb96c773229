import { isError, ProviderError } from '@fd/errors';
import { currentRequestId } from '@fd/platform';
import { z } from 'zod';
import type { SmsProviderConfig } from '../../../config/users-config.js';
import type { SmsMessage, SmsProvider } from '../../sms.port.js';

const accepted = z.object({ message_id: z.string().min(1).max(200) });

const MAX_ANSWER_BYTES = 65_536;

/** Failures of the network at which nothing can have reached the provider. */
const NOT_SENT = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
];

/** Said by something in front of the provider, which does not know what became of the message. */
const OPEN_STATUSES = [408, 502, 504];

/** Delivers messages over a provider's HTTP API: one POST with a Bearer key, answered 2xx with a `message_id`. */
export class HttpSmsAdapter implements SmsProvider {
  readonly name: string;

  constructor(private readonly config: SmsProviderConfig) {
    this.name = config.name;
  }

  async send(message: SmsMessage, signal: AbortSignal): Promise<void> {
    const response = await this.post(message, signal);
    const text = await this.read(response);
    if (response.status === 401 || response.status === 403) {
      throw new ProviderError(this.name, 'misconfigured', { detail: `status ${response.status}` });
    }
    if (OPEN_STATUSES.includes(response.status)) {
      throw new ProviderError(this.name, 'timeout', { detail: `status ${response.status}` });
    }
    if (!response.ok) throw new ProviderError(this.name, 'refused', { detail: `status ${response.status}` });
    if (!isAccepted(text))
      throw new ProviderError(this.name, 'malformed', { detail: `status ${response.status}` });
  }

  private async post(message: SmsMessage, signal: AbortSignal): Promise<Response> {
    const requestId = currentRequestId();
    try {
      return await fetch(this.config.url, {
        method: 'POST',
        // a redirect could lead anywhere, with the key and the message
        redirect: 'error',
        signal,
        headers: {
          'content-type': 'application/json',
          authorization: `Bearer ${this.config.apiKey}`,
          'idempotency-key': message.idempotencyKey,
          ...(requestId ? { 'x-request-id': requestId } : {}),
        },
        body: JSON.stringify({ to: message.phone, template_id: message.templateId, text: message.text }),
      });
    } catch (error) {
      throw this.networkError(error, signal);
    }
  }

  private async read(response: Response): Promise<string> {
    const parts: Uint8Array[] = [];
    let size = 0;
    try {
      for await (const part of response.body ?? []) {
        parts.push(part as Uint8Array);
        size += (part as Uint8Array).length;
        if (size > MAX_ANSWER_BYTES)
          throw new ProviderError(this.name, 'malformed', { detail: 'answer too large' });
      }
    } catch (error) {
      if (error instanceof ProviderError) throw error;
      throw new ProviderError(this.name, 'timeout', { detail: 'answer cut off' });
    }
    return Buffer.concat(parts).toString('utf8');
  }

  private networkError(error: unknown, signal: AbortSignal): ProviderError {
    if (signal.aborted) return new ProviderError(this.name, 'timeout');
    const cause: unknown = isError(error) ? error.cause : undefined;
    const code: unknown =
      typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : undefined;
    const detail = typeof code === 'string' ? code : 'network';
    return new ProviderError(this.name, NOT_SENT.includes(detail) ? 'unavailable' : 'timeout', { detail });
  }
}

function isAccepted(text: string): boolean {
  try {
    return accepted.safeParse(JSON.parse(text)).success;
  } catch {
    return false;
  }
}
