import type { Fetch } from './transport.js';

/** Types of calls for callers, derived from the generated types of a document. */

export type Method = 'get' | 'post' | 'put' | 'delete';

/** Paths that have METHOD. */
export type PathsWith<Paths, M extends Method> = {
  [P in keyof Paths]: Paths[P] extends Record<M, object> ? P : never;
}[keyof Paths];

export type Operation<Paths, P extends keyof Paths, M extends Method> =
  Paths[P] extends Record<M, infer O> ? O : never;

type PathAndQuery<O> = O extends { parameters: infer A }
  ? Pick<A, Extract<keyof A, 'path' | 'query'>>
  : unknown;

/** A body is optional if all its fields are. */
type Body<O> = O extends { requestBody?: never }
  ? { readonly body?: undefined }
  : O extends { requestBody?: { content: { 'application/json': infer B } } }
    ? object extends B
      ? { readonly body?: B }
      : { readonly body: B }
    : unknown;

/** Options of every call. */
export interface CallOptions {
  /** Aborts the call; the promise is rejected with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Key of a POST that the caller repeats, such as after a reload of the page. Defaults to a new one. */
  readonly idempotencyKey?: string;
  /** Makes the attempts of this call, such as to log them without headers and bodies; not a renewal of tokens. Defaults to the `fetch` of the client. */
  readonly fetch?: Fetch;
}

export type Input<O> = PathAndQuery<O> & Body<O> & CallOptions;

/** The arguments after the path, optional when no field is required. */
export type Arguments<O> = object extends Input<O> ? [input?: Input<O>] : [input: Input<O>];

type SuccessStatus = 200 | 201 | 202;

type SuccessBody<O> = O extends { responses: infer R }
  ? R[keyof R & SuccessStatus] extends infer Answer
    ? Answer extends { content: { 'application/json': infer B } }
      ? B
      : never
    : never
  : never;

/** The payload of the envelope, or the body of an answer that has none. */
type Unwrapped<B> = B extends { success: number; payload: infer Payload } ? Payload : B;

export type Payload<O> = Unwrapped<SuccessBody<O>>;
