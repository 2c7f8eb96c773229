import { setTimeout as sleep } from 'node:timers/promises';
import { remainingMs } from '@fd/envelope';
import { ProviderError } from '@fd/errors';
import { currentUserId } from '@fd/platform';
import { Bulkhead } from './bulkhead.js';
import { CircuitBreaker, type Verdict } from './circuit-breaker.js';

export const RESILIENCE_LIMITS = {
  /** Calls to one provider that run at once, and calls that wait for one of them. */
  maxRunning: 20,
  maxWaiting: 20,
  /** The same for the calls that one user makes. */
  maxRunningOfUser: 3,
  maxWaitingOfUser: 27,
  /** Within this time, at least `minCalls` of which more than half fail open the circuit. */
  sampleMs: 10_000,
  minCalls: 20,
  /** How long an open circuit refuses all calls; after it, one call probes. */
  openMs: 15_000,
  /** Longest pause before a repeat; it is random. */
  pauseMs: 100,
};
export type ResilienceLimits = Readonly<typeof RESILIENCE_LIMITS>;

/** Time reserved to write and answer after a provider has answered. */
const RESERVE_MS = 300;

type Attempt<T> = (signal: AbortSignal) => Promise<T>;

/** The provider was not asked, or got less time than it may take: nothing is learned of its state. */
class OwnLimitError extends ProviderError {}

/** One user has too many calls to a provider under way. Nothing was sent. */
export class OverShareError extends ProviderError {}

/**
 * How one provider is treated, whatever is asked of it: parallel calls are bounded, of all users and of each, an open
 * circuit refuses them while the provider fails, and only a harmless call is repeated.
 */
export class Resilience {
  private readonly breaker: CircuitBreaker;
  private readonly room: Bulkhead;
  /** Of the users who have calls under way. */
  private readonly shares = new Map<string, Bulkhead>();

  constructor(
    private readonly provider: string,
    private readonly timeoutMs: number,
    private readonly limits: ResilienceLimits = RESILIENCE_LIMITS,
  ) {
    this.breaker = new CircuitBreaker(limits, verdictOf);
    this.room = new Bulkhead(limits.maxRunning, limits.maxWaiting);
  }

  get isOpen(): boolean {
    return this.breaker.isOpen;
  }

  /**
   * @param isRepeatable whether a second try does no harm: the call reads, or carries an idempotency key
   * @throws ProviderError; OverShareError when the user has too many calls under way already
   */
  async run<T>(isRepeatable: boolean, attempt: Attempt<T>): Promise<T> {
    const work = () => (isRepeatable ? this.twice(attempt) : this.once(attempt));
    return this.inShare(() => this.room.run(work, () => this.ownLimit('too many calls')));
  }

  /** A user's calls fill their own share, never the room of all users. Calls that no user makes have no share. */
  private async inShare<T>(work: () => Promise<T>): Promise<T> {
    const userId = currentUserId();
    if (userId === undefined) return work();
    const { maxRunningOfUser, maxWaitingOfUser } = this.limits;
    const share = this.shares.get(userId) ?? new Bulkhead(maxRunningOfUser, maxWaitingOfUser);
    this.shares.set(userId, share);
    const detail = 'too many calls of one user';
    try {
      return await share.run(work, () => new OverShareError(this.provider, 'unavailable', { detail }));
    } finally {
      // calls that end together must not delete the share of one that has begun since
      if (share.isIdle && this.shares.get(userId) === share) this.shares.delete(userId);
    }
  }

  /** The provider may have acted on a first try: its failure is reported unless the second try gets an answer. */
  private async twice<T>(attempt: Attempt<T>): Promise<T> {
    try {
      return await this.once(attempt);
    } catch (first) {
      if (verdictOf(first) !== 'failure') throw first;
      await sleep(this.limits.pauseMs * Math.random());
      return this.once(attempt).catch((second: unknown) => {
        const isOpen = isOf(first, 'timeout', 'malformed') && !isOf(second, 'timeout', 'malformed');
        throw isOpen && second instanceof ProviderError ? first : second;
      });
    }
  }

  private async once<T>(attempt: Attempt<T>): Promise<T> {
    // also asked outside of the breaker, for which a call that is late from the start must not be the probe
    this.patienceMs();
    return this.breaker.run(
      () => this.inTime(attempt),
      () => this.ownLimit('circuit open'),
    );
  }

  /** Ends a try in time for the answer to the request that is being served. */
  private async inTime<T>(attempt: Attempt<T>): Promise<T> {
    const ms = this.patienceMs();
    return withTimeLimit(Math.ceil(ms), async (signal) => {
      try {
        return await attempt(signal);
      } catch (error) {
        const isCutShort = ms < this.timeoutMs && signal.aborted && isOf(error, 'timeout');
        throw isCutShort ? new OwnLimitError(this.provider, 'timeout', { detail: 'cut short' }) : error;
      }
    });
  }

  private patienceMs(): number {
    const ms = Math.min(this.timeoutMs, remainingMs() - RESERVE_MS);
    if (ms <= 0) throw this.ownLimit('no time left');
    return ms;
  }

  private ownLimit(detail: string): ProviderError {
    return new OwnLimitError(this.provider, 'unavailable', { detail });
  }
}

function isOf(error: unknown, ...failures: ProviderError['failure'][]): boolean {
  return error instanceof ProviderError && failures.includes(error.failure);
}

/** A refused request is no failure of the provider; a refused account fails for all users. */
function verdictOf(error: unknown): Verdict {
  if (error instanceof OwnLimitError) return 'nothing';
  if (isOf(error, 'misconfigured')) return 'hopeless';
  return isOf(error, 'unavailable', 'timeout', 'malformed') ? 'failure' : 'answer';
}

/**
 * Does WORK with a signal that fires after MS milliseconds. The timer ends with the work: those of AbortSignal.timeout() run
 * on for seconds after calls of milliseconds, thousands of them under load.
 */
export async function withTimeLimit<T>(ms: number, work: Attempt<T>): Promise<T> {
  const limit = new AbortController();
  // a service that ends waits for requests, not for timers
  const timer = setTimeout(() => limit.abort(), ms).unref();
  try {
    return await work(limit.signal);
  } finally {
    clearTimeout(timer);
  }
}
