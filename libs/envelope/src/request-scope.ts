import { AsyncLocalStorage } from 'node:async_hooks';

/** What whatever serves a request may ask about it without having been handed it. Features of ours add to it. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- it is added to where each part is kept
export interface RequestScope {}

/** One storage for all of it: each further one would cost every promise of every request. */
const storage = new AsyncLocalStorage<RequestScope>();

/** Undefined outside of requests. */
export function requestScope(): RequestScope | undefined {
  return storage.getStore();
}

/** Runs what serves one request, or a part of that, with something more known of it. */
export function withRequestScope<T>(more: RequestScope, work: () => T): T {
  return storage.run({ ...storage.getStore(), ...more }, work);
}
