import type { Agent } from 'node:http';
import request, { type Response } from 'supertest';
import type { DocumentedAnswers } from './documented-answers.js';
import { noteExchange } from './exchanges.config.js';
import { noteRaisedCodes } from './raised-codes.config.js';

export interface CallOptions {
  readonly query?: Record<string, string | string[]>;
  readonly headers?: Record<string, string>;
  readonly bearer?: string;
}

export type Method = 'get' | 'post' | 'put' | 'delete';

/** Calls an application over HTTP and validates every JSON answer against its OpenAPI document. */
export class ApiClient {
  constructor(
    private readonly baseUrl: string,
    private readonly documented: DocumentedAnswers,
    private readonly defaults: CallOptions = {},
    /** Keeps connections. Without it each call opens one, on which a load balancer may depend. */
    private readonly agent?: Agent,
  ) {}

  /** Returns this client with other defaults, such as a token. */
  with(defaults: CallOptions): ApiClient {
    return new ApiClient(this.baseUrl, this.documented, { ...this.defaults, ...defaults }, this.agent);
  }

  /** Returns this client for another base URL, such as that of a replica or a load balancer. */
  at(baseUrl: string): ApiClient {
    return new ApiClient(baseUrl, this.documented, this.defaults);
  }

  get(path: string, options?: CallOptions): Promise<Response> {
    return this.call('get', path, undefined, options);
  }

  post(path: string, body: object, options?: CallOptions): Promise<Response> {
    return this.call('post', path, JSON.stringify(body), options, 'application/json');
  }

  put(path: string, body: object, options?: CallOptions): Promise<Response> {
    return this.call('put', path, JSON.stringify(body), options, 'application/json');
  }

  delete(path: string, options?: CallOptions): Promise<Response> {
    return this.call('delete', path, undefined, options);
  }

  /** Sends the bytes unchanged, with the given media type or none. */
  raw(
    method: Method,
    path: string,
    body: string | Buffer | undefined,
    contentType?: string,
    options?: CallOptions,
  ): Promise<Response> {
    return this.call(method, path, body, options, contentType);
  }

  private async call(
    method: Method,
    path: string,
    body: string | Buffer | undefined,
    options: CallOptions = {},
    contentType?: string,
  ): Promise<Response> {
    const { headers, query, bearer } = { ...this.defaults, ...options };
    const call = request(this.baseUrl)[method](path);
    if (this.agent) void call.agent(this.agent);
    if (query) void call.query(query);
    if (bearer !== undefined) void call.set('Authorization', `Bearer ${bearer}`);
    for (const [name, value] of Object.entries({ ...this.defaults.headers, ...headers }))
      void call.set(name, value);
    if (contentType !== undefined) void call.set('Content-Type', contentType);
    // the library would serialise objects and strings differently
    if (body !== undefined) void call.serialize((value: unknown) => value as string).send(body as string);
    const response = await call;
    noteRaisedCodes(response.body);
    // no document has an unknown route; its test checks the answer
    if (response.headers['content-type']?.includes('application/json') && !isUnknownRoute(response)) {
      this.documented.check({
        method,
        path: path.split('?')[0]!,
        status: response.status,
        body: response.body,
      });
      noteExchange({
        method,
        path: (call as unknown as { url: string }).url.replace(/^https?:\/\/[^/]+/, ''),
        sent: parsed(body),
        status: response.status,
        answered: response.body,
      });
    }
    return response;
  }
}

/** Parses a body; undefined if it is not JSON. */
function parsed(body: string | Buffer | undefined): unknown {
  try {
    return typeof body === 'string' ? JSON.parse(body) : undefined;
  } catch {
    return undefined;
  }
}

function isUnknownRoute(response: Response): boolean {
  const body = response.body as { error?: { f_error_reason?: string }[] };
  return (
    response.status === 404 && Array.isArray(body.error) && body.error[0]?.f_error_reason === 'ROUTE_UNKNOWN'
  );
}
