import { requestScope, withRequestScope } from './request-scope.js';

/** Clients may be kept waiting for two seconds; what takes longer than this is answered with 503. */
export const DEADLINE_MS = 1_900;

/** Something to be done at once when a client is told 503 before its answer was there. Must not throw. */
type WhenTooLate = () => void;

/** The time of one request, and what its end means to whoever serves it. */
class RequestTime {
  private readonly endsAt: number;
  private waiting: Set<WhenTooLate> | undefined;
  private hasEnded = false;

  constructor(ms: number) {
    this.endsAt = performance.now() + ms;
  }

  get leftMs(): number {
    return this.endsAt - performance.now();
  }

  end(): void {
    this.hasEnded = true;
    for (const act of this.waiting ?? []) act();
    this.waiting = undefined;
  }

  whenTooLate(act: WhenTooLate): () => void {
    if (this.hasEnded) act();
    else (this.waiting ??= new Set()).add(act);
    return () => void this.waiting?.delete(act);
  }
}

declare module './request-scope.js' {
  interface RequestScope {
    readonly time?: RequestTime;
  }
}

/**
 * Runs what serves one request, which is to be answered in time.
 * @param work gets what is to be called when the client is told 503 instead
 * @param ms until then
 */
export function withDeadline<T>(work: (end: () => void) => T, ms = DEADLINE_MS): T {
  const time = new RequestTime(ms);
  return withRequestScope({ time }, () => work(() => time.end()));
}

/**
 * Milliseconds until the request that is being served is answered with 503, come what may. Whoever is about to
 * make something final asks first: the client would be told that it was not done.
 */
export function remainingMs(): number {
  return requestScope()?.time?.leftMs ?? Infinity;
}

/**
 * Has something done in the moment in which the client is told 503, before it can act on that; at once when it has
 * been told already.
 * @returns what takes this back
 */
export function whenTooLate(act: WhenTooLate): () => void {
  return requestScope()?.time?.whenTooLate(act) ?? (() => undefined);
}
