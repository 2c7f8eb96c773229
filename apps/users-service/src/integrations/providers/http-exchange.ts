import { isError, ProviderError } from '@fd/errors';
import { currentRequestId, inProviderSpan } from '@fd/platform';
import { Agent, request } from 'undici';

/** One call to a provider over HTTP. */
export interface HttpCall {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly apiKey: string;
  /** Sent as JSON. */
  readonly body?: object;
  /** The same for every try of one thing, so that the provider does it once. */
  readonly idempotencyKey?: string;
}

export interface HttpAnswer {
  readonly status: number;
  /** Undefined when it is no JSON. */
  readonly body: unknown;
}

const MAX_ANSWER_BYTES = 65_536;

/**
 * Connections to all providers, kept for the next call. Not the platform's fetch(): its layer for browsers costs four
 * times as much.
 */
const agent = new Agent({ maxResponseSize: MAX_ANSWER_BYTES });

/** Failures of the network at which nothing can have reached the provider. */
const NOT_SENT = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
];

/**
 * Sends one call and reads its whole answer, whatever its status. Follows no redirect: it could lead anywhere,
 * with the key and the data.
 * @throws ProviderError `unavailable` when nothing can have arrived, `timeout` when that is open, `malformed` for
 *   an answer that is too large
 */
export function exchange(provider: string, call: HttpCall, signal: AbortSignal): Promise<HttpAnswer> {
  return inProviderSpan(provider, call.method, async (trace) => {
    try {
      const { statusCode, body } = await request(call.url, {
        dispatcher: agent,
        method: call.method,
        signal,
        headers: { ...headersOf(call), ...trace },
        ...(call.body ? { body: JSON.stringify(call.body) } : {}),
      });
      const text = await body.text();
      const isRedirect = statusCode >= 300 && statusCode < 400;
      if (isRedirect) throw new ProviderError(provider, 'timeout', { detail: 'redirect' });
      return { status: statusCode, body: parseJson(text) };
    } catch (error) {
      throw error instanceof ProviderError ? error : networkError(provider, error, signal);
    }
  });
}

function headersOf({ apiKey, body, idempotencyKey }: HttpCall): Record<string, string> {
  const requestId = currentRequestId();
  return {
    authorization: `Bearer ${apiKey}`,
    accept: 'application/json',
    ...(body ? { 'content-type': 'application/json' } : {}),
    ...(idempotencyKey ? { 'idempotency-key': idempotencyKey } : {}),
    ...(requestId ? { 'x-request-id': requestId } : {}),
  };
}

function networkError(provider: string, error: unknown, signal: AbortSignal): ProviderError {
  if (signal.aborted) return new ProviderError(provider, 'timeout');
  const code: unknown = isError(error) && 'code' in error ? error.code : undefined;
  const detail = typeof code === 'string' ? code : 'network';
  if (detail === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') {
    return new ProviderError(provider, 'malformed', { detail: 'answer too large' });
  }
  return new ProviderError(provider, NOT_SENT.includes(detail) ? 'unavailable' : 'timeout', { detail });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
