import { ClsServiceManager, type ClsStore } from 'nestjs-cls';
import type { RequestTime } from './deadline.js';
import type { RouteContract } from './route-contract.js';

/** What belongs to the current request, worker's round or command. */
export interface RequestStore extends ClsStore {
  readonly requestId?: string;
  /** Undefined without tracing. */
  traceId?: string;
  /** Undefined until the session is verified. */
  userId?: string;
  readonly time?: RequestTime;
  /** Whether the client has got 503, so that the result of the request is not sent. */
  isTooLate?: true;
  /** Refused by load shedding: such requests must not flood the log. */
  isShed?: true;
  /** Refused by the limit, and not the first of its caller in this minute: such requests must not flood the log. */
  isOverLimit?: true;
  /** Why authentication refuses the call; kept until the call is counted. */
  authenticationRefusal?: unknown;
  /** The limit of the body's bytes, if the body exceeds it or the client has disconnected. */
  missedBodyLimit?: number;
  /** Of the route; undefined before the body is parsed. */
  contract?: RouteContract;
  /** Code of the first error of the refusal; `none` without one. */
  refusalCode?: string;
}

/** The store of nestjs-cls, also for code without dependency injection. A further async storage would cost time for every promise. */
const cls = ClsServiceManager.getClsService<RequestStore>();

/** Undefined outside of any request, round or command. S: a service's store, with parts of its own. */
export function requestStore<S extends RequestStore = RequestStore>(): S | undefined {
  return cls.get() as S | undefined;
}

/** Adds to the current store, for all following code. @throws Error outside of any */
export function addToRequestStore<S extends RequestStore = RequestStore>(more: NoInfer<S>): void {
  const store = requestStore();
  if (!store) throw new Error('there is no store to add to');
  Object.assign(store, more);
}

export function withRequestStore<T, S extends RequestStore = RequestStore>(
  more: NoInfer<S>,
  work: () => T,
): T {
  return cls.runWith({ ...requestStore(), ...more }, work);
}
