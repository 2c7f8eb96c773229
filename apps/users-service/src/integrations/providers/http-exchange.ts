import { isError, ProviderError } from '@fd/errors';
import { currentRequestId, inProviderSpan } from '@fd/platform';
import { Agent, request } from 'undici';

/** One call to an outside party over HTTP. */
export interface HttpCall {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly apiKey: string;
  /** Sent as JSON. */
  readonly body?: object;
  /** The same for every try of one thing, so that the party does it once. */
  readonly idempotencyKey?: string;
}

export interface HttpAnswer {
  readonly status: number;
  readonly text: string;
}

const MAX_ANSWER_BYTES = 65_536;
const TOO_LARGE = 'UND_ERR_RES_EXCEEDED_MAX_SIZE';

/**
 * Connections to all parties, kept for the next call. Not the platform's fetch(): that is the same client under a layer
 * for browsers, which costs four times as much.
 */
const agent = new Agent({ maxResponseSize: MAX_ANSWER_BYTES });

/** Failures of the network at which nothing can have reached the party. */
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
export async function exchange(provider: string, call: HttpCall, signal: AbortSignal): Promise<HttpAnswer> {
  return inProviderSpan(provider, call.method, (trace) => send(provider, call, signal, trace));
}

async function send(
  provider: string,
  call: HttpCall,
  signal: AbortSignal,
  trace: Record<string, string>,
): Promise<HttpAnswer> {
  try {
    const { statusCode, body } = await request(call.url, {
      dispatcher: agent,
      method: call.method,
      signal,
      headers: { ...headersOf(call), ...trace },
      ...(call.body ? { body: JSON.stringify(call.body) } : {}),
    });
    const text = await body.text();
    if (isRedirect(statusCode)) throw new ProviderError(provider, 'timeout', { detail: 'redirect' });
    return { status: statusCode, text };
  } catch (error) {
    throw error instanceof ProviderError ? error : networkError(provider, error, signal);
  }
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

const isRedirect = (status: number): boolean => status >= 300 && status < 400;

function networkError(provider: string, error: unknown, signal: AbortSignal): ProviderError {
  if (signal.aborted) return new ProviderError(provider, 'timeout');
  const code: unknown = isError(error) && 'code' in error ? error.code : undefined;
  const detail = typeof code === 'string' ? code : 'network';
  if (detail === TOO_LARGE) return new ProviderError(provider, 'malformed', { detail: 'answer too large' });
  return new ProviderError(provider, NOT_SENT.includes(detail) ? 'unavailable' : 'timeout', { detail });
}
