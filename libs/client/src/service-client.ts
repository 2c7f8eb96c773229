import { apiErrorOf, NoAnswerError, retryAfterSecondsOf } from './api-error.js';
import { newIdempotencyKey } from './idempotency-key.js';
import type { Arguments, CallOptions, Operation, PathsWith, Payload } from './operations.js';
import type { Fetch } from './transport.js';

/** An answer of a service. */
export interface Answer<P> {
  readonly payload: P;
  /** HTTP status: 200, 201, or 202 while it is pending. */
  readonly status: number;
  /** Identifies the call for our operators. */
  readonly requestId: string | null;
  /** Whether this repeats the first answer for the key, without a second effect. */
  readonly isReplayed: boolean;
  /** Seconds until the next poll, if the service has sent them. */
  readonly retryAfterSeconds: number | null;
}

/** Sends a request with its credentials. */
export type Send = (request: Request, fetch?: Fetch) => Promise<Response>;

/** Values of an input at run time. */
export interface AnyInput extends CallOptions {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | boolean | null | undefined>>;
  readonly body?: object;
}

/**
 * The calls of a service by the paths of its OpenAPI document, with typed requests and answers. Every call throws ApiError when
 * it is refused, NoAnswerError without an answer, the reason of its signal when that is aborted, and TypeError, without a request,
 * for a path parameter that is missing, empty, `.` or `..`.
 */
export class ServiceClient<Paths> {
  constructor(
    readonly baseUrl: string,
    private readonly send: Send,
  ) {}

  get<P extends PathsWith<Paths, 'get'>>(
    path: P,
    ...[input]: Arguments<Operation<Paths, P, 'get'>>
  ): Promise<Answer<Payload<Operation<Paths, P, 'get'>>>> {
    return this.call('GET', path, input);
  }

  /** Carries an Idempotency-Key, the same one on all of its attempts. */
  post<P extends PathsWith<Paths, 'post'>>(
    path: P,
    ...[input]: Arguments<Operation<Paths, P, 'post'>>
  ): Promise<Answer<Payload<Operation<Paths, P, 'post'>>>> {
    return this.call('POST', path, input);
  }

  put<P extends PathsWith<Paths, 'put'>>(
    path: P,
    ...[input]: Arguments<Operation<Paths, P, 'put'>>
  ): Promise<Answer<Payload<Operation<Paths, P, 'put'>>>> {
    return this.call('PUT', path, input);
  }

  delete<P extends PathsWith<Paths, 'delete'>>(
    path: P,
    ...[input]: Arguments<Operation<Paths, P, 'delete'>>
  ): Promise<Answer<Payload<Operation<Paths, P, 'delete'>>>> {
    return this.call('DELETE', path, input);
  }

  /** A call that only the running program knows, such as the `api` of a step of the journey. @param method in capitals */
  async call<T = unknown>(method: string, path: PropertyKey, input: AnyInput = {}): Promise<Answer<T>> {
    const request = requestOf(method, `${this.baseUrl}${String(path)}`, input);
    const response = await this.send(request, input.fetch);
    const body = await bodyOf(response);
    if (!response.ok) throw apiErrorOf(response, body);
    return {
      payload: payloadOf(body, String(path)) as T,
      status: response.status,
      requestId: response.headers.get('x-request-id'),
      isReplayed: response.headers.get('idempotent-replayed') === 'true',
      retryAfterSeconds: retryAfterSecondsOf(response.headers),
    };
  }
}

function requestOf(method: string, template: string, input: AnyInput): Request {
  const { path = {}, query = {}, signal, idempotencyKey } = input;
  const url = new URL(template.replace(/\{(\w+)\}/g, (_, name: string) => segmentOf(name, path[name])));
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== null) url.searchParams.set(name, String(value));
  const headers = new Headers({ accept: 'application/json' });
  if (method === 'POST') headers.set('idempotency-key', idempotencyKey ?? newIdempotencyKey());
  // every POST has a body, even if it is empty
  const body = input.body ?? (method === 'POST' ? {} : undefined);
  if (body) headers.set('content-type', 'application/json');
  return new Request(url, {
    method,
    headers,
    ...(body ? { body: JSON.stringify(body) } : {}),
    ...(signal ? { signal } : {}),
  });
}

/** Refuses values that would make a path of another call: URLs drop `.` and `..`, and an empty one leaves the path of the list. */
function segmentOf(name: string, value: string | undefined): string {
  if (value === undefined || ['', '.', '..'].includes(value))
    throw new TypeError(`the path parameter ${name} is ${JSON.stringify(value) ?? 'missing'}`);
  return encodeURIComponent(value);
}

/** Undefined for a refusal that is not JSON, which a gateway has sent. */
async function bodyOf(response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch (error) {
    if (response.ok) throw new NoAnswerError('lost', error);
    return undefined;
  }
}

/** Quotes, keys and health checks. */
const WITHOUT_ENVELOPE = /^\/(api\/v1\/detail\/maturity-amount|\.well-known|health)\//;

/** @throws NoAnswerError for JSON that is no answer of a service, such as that of a network which asks for a login */
function payloadOf(body: unknown, path: string): unknown {
  if (typeof body === 'object' && body !== null) {
    if ('success' in body && 'payload' in body) return body.payload;
    if (WITHOUT_ENVELOPE.test(path)) return body;
  }
  throw new NoAnswerError('lost', new TypeError('the body is not an answer of the service'));
}
