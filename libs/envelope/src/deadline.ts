import { AsyncLocalStorage } from 'node:async_hooks';

/** Clients may be kept waiting for two seconds; what takes longer than this is answered with 503. */
export const DEADLINE_MS = 1_900;

const endings = new AsyncLocalStorage<number>();

/**
 * Runs what serves one request, which is to be answered in time.
 * @param ms until then
 */
export function withDeadline<T>(work: () => T, ms = DEADLINE_MS): T {
  return endings.run(performance.now() + ms, work);
}

/**
 * Milliseconds until the request that is being served is answered with 503, come what may. Whoever is about to
 * make something final asks first: the client would be told that it was not done.
 */
export function remainingMs(): number {
  const endsAt = endings.getStore();
  return endsAt === undefined ? Infinity : endsAt - performance.now();
}
