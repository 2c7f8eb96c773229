import type { IncomingHttpHeaders } from 'node:http';
import { requestStore } from '@fd/envelope';
import { type FailureReason, isError, ProviderError, type ProviderFailure } from '@fd/errors';
import { inProviderSpan } from '@fd/platform';
import { Agent, type Dispatcher } from 'undici';
import { z } from 'zod';
import type { Endpoint, ProviderAddress } from '../../config/index.js';
import { MAX_PROVIDER_LINK } from './provider-text.js';

export type HeaderSet = Readonly<Record<string, string>>;

/** Headers that a provider accepts for a while. */
export interface ExpiringCredentials {
  /** @throws ProviderError without credentials; the provider was not called */
  current(signal: AbortSignal): Promise<HeaderSet>;
  /** Forgets headers that the provider has refused. */
  discard(refused: HeaderSet): void;
}

/** Our credentials: a key, a pair of headers, a user with a password (below), or a token (`FetchedToken`). */
export type Credentials = HeaderSet | ExpiringCredentials;

const doExpire = (credentials: Credentials): credentials is ExpiringCredentials =>
  typeof credentials.current === 'function';

export const bearer = (key: string): HeaderSet => ({ authorization: `Bearer ${key}` });

export const basic = (user: string, password: string): HeaderSet => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
});

export interface HttpCall {
  /** Defaults to POST for a call with a body, otherwise to GET. */
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH';
  readonly url: string;
  readonly credentials: Credentials;
  /** Sent as JSON, or as a form. */
  readonly body?: object | URLSearchParams;
  /** Equal in every try of an operation, so that it takes effect once. */
  readonly idempotencyKey?: string;
  /** Maximum size of the answer, larger for documents. Defaults to 64 KiB. */
  readonly maxAnswerBytes?: number;
  /** Longer texts of the answer are cut, so that no pattern runs long. Defaults to more than any shape accepts. */
  readonly maxTextLength?: number;
}

export interface HttpAnswer {
  readonly status: number;
  /** Undefined if not JSON. */
  readonly body: unknown;
  readonly date?: string | undefined;
  /** The Retry-After header, if it is a number of seconds. */
  readonly retryAfterMs?: number | undefined;
}

/** The error in the body of an answer. */
export interface KnownFailure {
  readonly failure: ProviderFailure;
  readonly reason?: FailureReason;
  /** The provider's code from a known list; it is logged. */
  readonly code: string;
}

export interface ProviderEndpoint extends Endpoint {
  readonly credentials: Credentials;
  /** For operators: the settings of this endpoint, and remedies by error code. */
  readonly help: { readonly settings: string; readonly advice?: Readonly<Record<string, string>> };
  /** Reads an undeclared answer. Undefined: only its status is meaningful. */
  readonly failureIn?: (answer: HttpAnswer) => KnownFailure | undefined;
}

/** The endpoint of a provider with our own format. */
export function ownFormat({ name, baseUrl, apiKey, settings }: ProviderAddress): ProviderEndpoint {
  return { name, baseUrl, credentials: bearer(apiKey), help: { settings }, failureIn: ownFailureIn };
}

const invalidRequest = z.object({ error: z.object({ type: z.literal('invalid_request') }) });

/** Tells a request that the provider itself has read and refused from the 422 of another server. */
const ownFailureIn: ProviderEndpoint['failureIn'] = ({ status, body }) =>
  status === 422 && invalidRequest.safeParse(body).success
    ? { failure: 'refused', code: 'invalid_request' }
    : undefined;

const MAX_ANSWER_BYTES = 65_536;
/** Shapes describe every wrong element: of 20,000 they take longer to refuse than all else in a call. */
const MAX_COMMAS = 2_000;
/** The longest text that a shape accepts is an address. */
const MAX_TEXT_LENGTH = MAX_PROVIDER_LINK + 1;

const agent = new Agent();

/** Network errors before the request can have reached the provider. */
const NOT_SENT = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
];

/**
 * Sends one request and reads the whole answer of any status. Follows no redirect, because it could leak the key and the
 * data. A token that is refused with 401 is fetched again once: the refused request had no effect.
 * @throws ProviderError `unavailable` if the request cannot have arrived, `timeout` if it may have, `malformed` for an
 * oversized answer; the errors of fetching a token
 */
export async function exchange(provider: string, call: HttpCall, signal: AbortSignal): Promise<HttpAnswer> {
  const { credentials } = call;
  if (!doExpire(credentials)) return send(provider, call, credentials, signal);
  const headers = await credentials.current(signal);
  const answer = await send(provider, call, headers, signal);
  if (answer.status !== 401) return answer;
  credentials.discard(headers);
  return send(provider, call, await credentials.current(signal), signal);
}

function send(
  provider: string,
  call: HttpCall,
  credentials: HeaderSet,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  const { method = call.body ? 'POST' : 'GET' } = call;
  return inProviderSpan(provider, method, async (trace) => {
    try {
      const { origin, pathname, search } = new URL(call.url);
      const sent = {
        origin,
        path: pathname + search,
        method,
        headers: { ...credentials, ...headersOf(call), ...trace },
        body: bodyOf(call),
      };
      const answer = await new Promise<HttpAnswer>((resolve, reject) =>
        agent.dispatch(sent, new AnswerReader(call, signal, resolve, reject)),
      );
      const isRedirect = answer.status >= 300 && answer.status < 400;
      if (isRedirect) throw new ProviderError(provider, 'timeout', { detail: 'redirect' });
      return answer;
    } catch (error) {
      throw error instanceof ProviderError ? error : networkError(provider, error, signal);
    }
  });
}

/** Collects an answer through undici's lowest layer: the streams of `request` cost a third of a call. */
class AnswerReader implements Dispatcher.DispatchHandler {
  private connection: Dispatcher.DispatchController | undefined;
  private status = 0;
  private date: string | undefined;
  private retryAfterMs: number | undefined;
  private readonly parts: Buffer[] = [];
  private bytes = 0;

  constructor(
    private readonly call: HttpCall,
    private readonly signal: AbortSignal,
    private readonly resolve: (answer: HttpAnswer) => void,
    private readonly reject: (error: Error) => void,
  ) {
    signal.addEventListener('abort', () => {
      this.connection?.abort(TOO_LATE);
      // a request that waits for its connection has no stream to end
      reject(TOO_LATE);
    });
  }

  onRequestStart(connection: Dispatcher.DispatchController): void {
    if (this.signal.aborted) connection.abort(TOO_LATE);
    this.connection = connection;
  }

  onResponseStart(
    _connection: Dispatcher.DispatchController,
    status: number,
    { date, 'retry-after': retryAfter }: IncomingHttpHeaders,
  ): void {
    this.status = status;
    this.date = typeof date === 'string' ? date : undefined;
    if (retryAfter && /^\d{1,6}$/.test(retryAfter)) this.retryAfterMs = Number(retryAfter) * 1_000;
  }

  onResponseData(connection: Dispatcher.DispatchController, part: Buffer): void {
    this.bytes += part.length;
    if (this.bytes > (this.call.maxAnswerBytes ?? MAX_ANSWER_BYTES)) return connection.abort(TOO_LARGE);
    this.parts.push(part);
  }

  onResponseEnd(): void {
    const { status, date, retryAfterMs } = this;
    const json = utf8.decode(Buffer.concat(this.parts));
    if (hasMoreCommas(json, MAX_COMMAS)) return this.reject(TOO_LARGE);
    const body = parseJson(json, this.call.maxTextLength ?? MAX_TEXT_LENGTH);
    this.resolve({ status, date, retryAfterMs, body });
  }

  onResponseError(_connection: Dispatcher.DispatchController, error: Error): void {
    this.reject(error);
  }
}

const FORM = 'application/x-www-form-urlencoded';
const TOO_LATE = new Error('too late');
const TOO_LARGE = new Error('answer too large');
const utf8 = new TextDecoder();

function bodyOf({ body }: HttpCall): string | null {
  if (body instanceof URLSearchParams) return body.toString();
  return body ? JSON.stringify(body) : null;
}

function headersOf({ body, idempotencyKey }: HttpCall): Record<string, string> {
  const requestId = requestStore()?.requestId;
  return {
    accept: 'application/json',
    ...(body ? { 'content-type': body instanceof URLSearchParams ? FORM : 'application/json' } : {}),
    ...(idempotencyKey ? { 'idempotency-key': idempotencyKey } : {}),
    ...(requestId ? { 'x-request-id': requestId } : {}),
  };
}

function networkError(provider: string, error: unknown, signal: AbortSignal): ProviderError {
  if (signal.aborted) return new ProviderError(provider, 'timeout');
  return error === TOO_LARGE ? answerTooLarge(provider) : connectionError(provider, error);
}

/** The failure for an answer beyond its maximum size. */
export const answerTooLarge = (provider: string): ProviderError =>
  new ProviderError(provider, 'malformed', { detail: TOO_LARGE.message });

/** Classifies an error of a connection by whether the request can have arrived. */
export function connectionError(provider: string, error: unknown): ProviderError {
  const code: unknown = isError(error) && 'code' in error ? error.code : undefined;
  const detail = typeof code === 'string' ? code : 'network';
  if (!NOT_SENT.includes(detail)) return new ProviderError(provider, 'timeout', { detail });
  return new ProviderError(provider, 'unavailable', { detail, reason: 'not-sent' });
}

/** Whether a text has more commas than a limit: each further element or field needs one. Counts those in texts too. */
function hasMoreCommas(json: string, limit: number): boolean {
  let place = -1;
  for (let commas = 0; commas <= limit; commas++) {
    place = json.indexOf(',', place + 1);
    if (place < 0) return false;
  }
  return true;
}

/** Cuts long texts before a shape or a pattern reads them. */
function parseJson(json: string, maxTextLength: number): unknown {
  const cut = (_key: string, value: unknown) =>
    typeof value === 'string' ? value.slice(0, maxTextLength) : value;
  try {
    // without long texts five times faster
    return JSON.parse(json, json.length > maxTextLength ? cut : undefined);
  } catch {
    return undefined;
  }
}
