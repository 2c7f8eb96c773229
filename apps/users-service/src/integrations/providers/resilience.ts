import { AsyncResource } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { remainingMs } from '@fd/envelope';
import { ProviderError } from '@fd/errors';
import { currentUserId } from '@fd/platform';
import {
  bulkhead,
  BulkheadRejectedError,
  BrokenCircuitError,
  circuitBreaker,
  type CircuitBreakerPolicy,
  CircuitState,
  handleWhen,
  type IPolicy,
  SamplingBreaker,
} from 'cockatiel';

export const RESILIENCE_LIMITS = {
  /** Calls to one provider that run at once, and calls that wait for one of them. */
  maxRunning: 20,
  maxWaiting: 20,
  /** The same for the calls that one user makes. */
  maxRunningOfUser: 3,
  maxWaitingOfUser: 27,
  /** Within this time, at least `minCalls` of which half fail open the circuit. */
  sampleMs: 10_000,
  minCalls: 20,
  /** How long an open circuit refuses all calls; after it, one call probes. */
  openMs: 15_000,
  /** Longest pause before a repeat; it is random. */
  pauseMs: 100,
};
export type ResilienceLimits = Readonly<typeof RESILIENCE_LIMITS>;

/** A clock that differs by more than this from what has gone by since the last call was set. */
const CLOCK_STEP_MS = 1_000;
/** What is left for us to write down and answer after a provider has answered. */
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
  private breaker: CircuitBreakerPolicy;
  private clockOffset = clockOffset();
  private readonly room: IPolicy;
  /** Of the users who have calls under way. */
  private readonly shares = new Map<string, { readonly room: IPolicy; calls: number }>();

  constructor(
    private readonly provider: string,
    private readonly timeoutMs: number,
    private readonly limits: ResilienceLimits = RESILIENCE_LIMITS,
  ) {
    this.breaker = this.newBreaker();
    this.room = bulkhead(limits.maxRunning, limits.maxWaiting);
  }

  get isOpen(): boolean {
    return this.breaker.state === CircuitState.Open;
  }

  /**
   * @param isRepeatable whether a second try does no harm: the call reads, or carries an idempotency key
   * @throws ProviderError; OverShareError when the user has too many calls under way already
   */
  async run<T>(isRepeatable: boolean, attempt: Attempt<T>): Promise<T> {
    const work = () => (isRepeatable ? this.twice(attempt) : this.once(attempt));
    return this.inShare(() => inRoom(this.room, work, () => this.ownLimit('too many calls')));
  }

  /** A user's calls fill their own share, never the room of all users. Calls that no user makes have no share. */
  private async inShare<T>(work: () => Promise<T>): Promise<T> {
    const userId = currentUserId();
    if (userId === undefined) return work();
    const { maxRunningOfUser, maxWaitingOfUser } = this.limits;
    const share = this.shares.get(userId) ?? { room: bulkhead(maxRunningOfUser, maxWaitingOfUser), calls: 0 };
    this.shares.set(userId, share);
    share.calls++;
    const detail = 'too many calls of one user';
    const refusal = () => new OverShareError(this.provider, 'unavailable', { detail });
    try {
      return await inRoom(share.room, work, refusal);
    } finally {
      if (--share.calls === 0) this.shares.delete(userId);
    }
  }

  /** The provider may have acted on a first try: its failure is reported unless the second try gets an answer. */
  private async twice<T>(attempt: Attempt<T>): Promise<T> {
    try {
      return await this.once(attempt);
    } catch (first) {
      if (!isTrouble(first)) throw first;
      await sleep(this.limits.pauseMs * Math.random());
      return this.once(attempt).catch((second: unknown) => {
        throw isOf(second, 'unavailable') && isOf(first, 'timeout', 'malformed') ? first : second;
      });
    }
  }

  private async once<T>(attempt: Attempt<T>): Promise<T> {
    // also asked outside of the breaker, for which a call that is late from the start must not be the probe
    this.patienceMs();
    this.followClock();
    try {
      return await this.breaker.execute(() => this.inTime(attempt));
    } catch (error) {
      throw error instanceof BrokenCircuitError ? this.ownLimit('circuit open') : error;
    }
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

  /** @param openedAt of a circuit that is open already, by the machine's clock */
  private newBreaker(openedAt?: number): CircuitBreakerPolicy {
    const { sampleMs, minCalls, openMs } = this.limits;
    const minimumRps = minCalls / (sampleMs / 1_000);
    const breaker = new SamplingBreaker({ threshold: 0.5, duration: sampleMs, minimumRps });
    const ownState = { value: CircuitState.Open, openedAt, attemptNo: 1 };
    const openState = { initialState: { ownState, breakerState: breaker.state } };
    return circuitBreaker(
      handleWhen((error) => isTrouble(error) || this.hasProbed(error)),
      { breaker, halfOpenAfter: openMs, ...(openedAt === undefined ? {} : openState) },
    );
  }

  /** Only an answer may close an open circuit, whereas the breaker would take an own limit for one. */
  private hasProbed(error: Error): boolean {
    return error instanceof OwnLimitError && this.breaker.state === CircuitState.HalfOpen;
  }

  /** The breaker goes by the machine's clock: set back by an hour, it would leave a circuit open for an hour. */
  private followClock(): void {
    const offset = clockOffset();
    const step = offset - this.clockOffset;
    this.clockOffset = offset;
    if (Math.abs(step) < CLOCK_STEP_MS) return;
    const { ownState } = this.breaker.toJSON() as { ownState: { openedAt?: number } };
    this.breaker = this.newBreaker(ownState.openedAt === undefined ? undefined : ownState.openedAt + step);
  }
}

/** By how much the machine's clock is ahead of the time that this process has run. */
const clockOffset = (): number => Date.now() - performance.now();

async function inRoom<T>(room: IPolicy, work: () => Promise<T>, whenFull: () => Error): Promise<T> {
  try {
    // bound, or a call that had to wait would run as a part of the request that made room for it
    return await room.execute(AsyncResource.bind(work));
  } catch (error) {
    throw error instanceof BulkheadRejectedError ? whenFull() : error;
  }
}

function isOf(error: unknown, ...failures: ProviderError['failure'][]): boolean {
  return error instanceof ProviderError && failures.includes(error.failure);
}

/** Whether a provider is in trouble, as opposed to being asked the wrong thing. */
function isTrouble(error: unknown): boolean {
  return isOf(error, 'unavailable', 'timeout', 'malformed') && !(error instanceof OwnLimitError);
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
