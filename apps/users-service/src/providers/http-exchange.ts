import { isError, ProviderError } from '@fd/errors';
import { currentRequestId, inPartySpan } from '@fd/platform';

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
  return inPartySpan(provider, call.method, (trace) => send(provider, call, signal, trace));
}

async function send(
  provider: string,
  call: HttpCall,
  signal: AbortSignal,
  trace: Record<string, string>,
): Promise<HttpAnswer> {
  try {
    const response = await fetch(call.url, {
      method: call.method,
      redirect: 'error',
      signal,
      headers: { ...headersOf(call), ...trace },
      ...(call.body ? { body: JSON.stringify(call.body) } : {}),
    });
    return { status: response.status, text: await read(provider, response) };
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

async function read(provider: string, response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    parts.push(part as Uint8Array);
    size += (part as Uint8Array).length;
    if (size > MAX_ANSWER_BYTES)
      throw new ProviderError(provider, 'malformed', { detail: 'answer too large' });
  }
  return Buffer.concat(parts).toString('utf8');
}

function networkError(provider: string, error: unknown, signal: AbortSignal): ProviderError {
  if (signal.aborted) return new ProviderError(provider, 'timeout');
  const cause: unknown = isError(error) ? error.cause : undefined;
  const code: unknown =
    typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : undefined;
  const detail = typeof code === 'string' ? code : 'network';
  return new ProviderError(provider, NOT_SENT.includes(detail) ? 'unavailable' : 'timeout', { detail });
}
