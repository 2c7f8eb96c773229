/** What the generated types of a document say about a call, in the form in which a caller wants it. */

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

/** A body of which every field may be left out may be left out itself. */
type Body<O> = O extends { requestBody?: never }
  ? { readonly body?: undefined }
  : O extends { requestBody?: { content: { 'application/json': infer B } } }
    ? object extends B
      ? { readonly body?: B }
      : { readonly body: B }
    : unknown;

/** What every call may be given besides. */
export interface CallOptions {
  /** Gives the call up when it is aborted; the promise is rejected with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Key of a POST that is repeated by the caller, such as after a page was loaded anew. Left out: a new one. */
  readonly idempotencyKey?: string;
}

export type Input<O> = PathAndQuery<O> & Body<O> & CallOptions;

/** The arguments after the path: none are needed where nothing has to be given. */
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
