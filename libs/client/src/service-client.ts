import { apiErrorOf, NoAnswerError, retryAfterSecondsOf } from './api-error.js';
import { newIdempotencyKey } from './idempotency-key.js';
import type { Arguments, CallOptions, Method, Operation, PathsWith, Payload } from './operations.js';

/** What a service has answered. */
export interface Answer<P> {
  readonly payload: P;
  /** HTTP status: 200, 201, or 202 when it is not done yet. */
  readonly status: number;
  /** Tells our operators which call it was. */
  readonly requestId: string | null;
  /** Whether this is the first answer to the key once more: nothing was done a second time. */
  readonly isReplayed: boolean;
  /** Seconds until asking again makes sense, where the service said so. */
  readonly retryAfterSeconds: number | null;
}

/** Sends a request, with whatever it takes to be let in. */
export type Send = (request: Request) => Promise<Response>;

/** Values of an input, as they are when the types are gone. */
interface AnyInput extends CallOptions {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | boolean | null | undefined>>;
  readonly body?: object;
}

/**
 * The calls of one service, by the paths of its OpenAPI document: what goes in and what comes out is typed.
 * Every call throws ApiError when it is refused, NoAnswerError when no answer came, and the reason of its signal when
 * that was aborted.
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
    return this.call('get', path, input);
  }

  /** Carries an Idempotency-Key, the same one on all of its attempts. */
  post<P extends PathsWith<Paths, 'post'>>(
    path: P,
    ...[input]: Arguments<Operation<Paths, P, 'post'>>
  ): Promise<Answer<Payload<Operation<Paths, P, 'post'>>>> {
    return this.call('post', path, input);
  }

  put<P extends PathsWith<Paths, 'put'>>(
    path: P,
    ...[input]: Arguments<Operation<Paths, P, 'put'>>
  ): Promise<Answer<Payload<Operation<Paths, P, 'put'>>>> {
    return this.call('put', path, input);
  }

  delete<P extends PathsWith<Paths, 'delete'>>(
    path: P,
    ...[input]: Arguments<Operation<Paths, P, 'delete'>>
  ): Promise<Answer<Payload<Operation<Paths, P, 'delete'>>>> {
    return this.call('delete', path, input);
  }

  private async call<T>(method: Method, path: PropertyKey, input: AnyInput = {}): Promise<Answer<T>> {
    const response = await this.send(requestOf(method, `${this.baseUrl}${String(path)}`, input));
    const body = await bodyOf(response);
    if (!response.ok) throw apiErrorOf(response, body);
    return {
      payload: unwrapped(body) as T,
      status: response.status,
      requestId: response.headers.get('x-request-id'),
      isReplayed: response.headers.get('idempotent-replayed') === 'true',
      retryAfterSeconds: retryAfterSecondsOf(response.headers),
    };
  }
}

function requestOf(method: Method, template: string, input: AnyInput): Request {
  const { path = {}, query = {}, signal, idempotencyKey } = input;
  const url = new URL(
    template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? '')),
  );
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== null) url.searchParams.set(name, String(value));
  const headers = new Headers({ accept: 'application/json' });
  if (method === 'post') headers.set('idempotency-key', idempotencyKey ?? newIdempotencyKey());
  // every POST has a body, if only an empty one
  const body = input.body ?? (method === 'post' ? {} : undefined);
  if (body) headers.set('content-type', 'application/json');
  return new Request(url, {
    method: method.toUpperCase(),
    headers,
    ...(body ? { body: JSON.stringify(body) } : {}),
    ...(signal ? { signal } : {}),
  });
}

/** Undefined for a refusal that is no JSON: a gateway has answered in place of the service. */
async function bodyOf(response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch (error) {
    if (response.ok) throw new NoAnswerError('lost', error);
    return undefined;
  }
}

/** The quote has no envelope, nor do the keys and the health of a service. */
function unwrapped(body: unknown): unknown {
  const isEnvelope = typeof body === 'object' && body !== null && 'success' in body && 'payload' in body;
  return isEnvelope ? body.payload : body;
}
