import { AsyncResource } from 'node:async_hooks';
import { remainingMs } from '@fd/envelope';
import { ProviderError } from '@fd/errors';
import {
  bulkhead,
  BulkheadRejectedError,
  BrokenCircuitError,
  circuitBreaker,
  type CircuitBreakerPolicy,
  CircuitState,
  ExponentialBackoff,
  handleWhen,
  type IPolicy,
  IsolatedCircuitError,
  retry,
  SamplingBreaker,
} from 'cockatiel';
import { withTimeLimit } from './time-limit.js';
import { UserShares } from './user-shares.js';

export interface ResilienceLimits {
  /** Calls to one party that run at once, and calls that wait for one of them. */
  readonly maxRunning: number;
  readonly maxWaiting: number;
  /** The same for the calls that one user makes. */
  readonly maxRunningOfUser: number;
  readonly maxWaitingOfUser: number;
  /** Within this time, at least `minCalls` of which half fail open the circuit. */
  readonly sampleMs: number;
  readonly minCalls: number;
  /** For how long nobody is asked then; after it, one call probes. */
  readonly openMs: number;
  /** First pause before a repeat; it is jittered. */
  readonly pauseMs: number;
}

export const RESILIENCE_LIMITS: ResilienceLimits = {
  maxRunning: 20,
  maxWaiting: 20,
  maxRunningOfUser: 3,
  maxWaitingOfUser: 27,
  sampleMs: 10_000,
  minCalls: 20,
  openMs: 15_000,
  pauseMs: 100,
};

const MAX_PAUSE_MS = 1_000;
/** A clock that differs by more than this from what has gone by since the last call was set. */
const CLOCK_STEP_MS = 1_000;
/** What is left for us to write down and answer after a party has answered. */
const RESERVE_MS = 300;

type Attempt<T> = (signal: AbortSignal) => Promise<T>;

/** The party was not asked, or not given the time that it may take: nothing is learned of how it is. */
class OwnLimitError extends ProviderError {}

/**
 * How one party is treated, whatever is asked of it: bounded in parallel calls, of all and of each user, left alone
 * while it is failing, asked again only where that is harmless.
 */
export class Resilience {
  private breaker: CircuitBreakerPolicy;
  private clockOffset = clockOffset();
  private readonly room: IPolicy;
  private readonly again: IPolicy;
  private readonly shares: UserShares;

  constructor(
    private readonly provider: string,
    private readonly timeoutMs: number,
    private readonly limits: ResilienceLimits = RESILIENCE_LIMITS,
  ) {
    const { pauseMs } = limits;
    this.breaker = this.newBreaker();
    this.room = bulkhead(limits.maxRunning, limits.maxWaiting);
    this.shares = new UserShares(provider, limits.maxRunningOfUser, limits.maxWaitingOfUser);
    // jittered by the library's own generator
    const backoff = new ExponentialBackoff({ initialDelay: pauseMs, maxDelay: MAX_PAUSE_MS });
    this.again = retry(handleWhen(isTrouble), { maxAttempts: 1, backoff });
  }

  get isOpen(): boolean {
    return this.breaker.state === CircuitState.Open;
  }

  /**
   * @param isRepeatable whether a second try does no harm: the call reads, or carries an idempotency key
   * @throws ProviderError; OverShareError when the user has too many calls under way already
   */
  async run<T>(isRepeatable: boolean, attempt: Attempt<T>): Promise<T> {
    return this.shares.run(() =>
      this.inRoom(() => (isRepeatable ? this.twice(attempt) : this.once(attempt))),
    );
  }

  /** @param openedAt of a circuit that is open already, by the machine's clock */
  private newBreaker(openedAt?: number): CircuitBreakerPolicy {
    const { sampleMs, minCalls, openMs } = this.limits;
    const breaker = new SamplingBreaker({
      threshold: 0.5,
      duration: sampleMs,
      minimumRps: minCalls / (sampleMs / 1_000),
    });
    const ownState = { value: CircuitState.Open, openedAt, attemptNo: 1 };
    return circuitBreaker(
      handleWhen((error) => isTrouble(error) || this.hasProbed(error)),
      {
        breaker,
        halfOpenAfter: openMs,
        ...(openedAt === undefined ? {} : { initialState: { ownState, breakerState: breaker.state } }),
      },
    );
  }

  /** The breaker goes by the machine's clock: set back by an hour, that would leave a party alone for an hour. */
  private followClock(): void {
    const offset = clockOffset();
    const step = offset - this.clockOffset;
    this.clockOffset = offset;
    if (Math.abs(step) < CLOCK_STEP_MS) return;
    const { ownState } = this.breaker.toJSON() as { ownState: { openedAt?: number } };
    this.breaker = this.newBreaker(ownState.openedAt === undefined ? undefined : ownState.openedAt + step);
  }

  private async inRoom<T>(work: () => Promise<T>): Promise<T> {
    try {
      // bound, or a call that had to wait would run as a part of the request that made room for it
      return await this.room.execute(AsyncResource.bind(work));
    } catch (error) {
      throw error instanceof BulkheadRejectedError ? this.ownLimit('too many calls') : error;
    }
  }

  /** A first try that the party may have acted on is what is told, unless the second gets an answer. */
  private async twice<T>(attempt: Attempt<T>): Promise<T> {
    let first: unknown;
    try {
      return await this.again.execute(async () => {
        try {
          return await this.once(attempt);
        } catch (error) {
          first ??= error;
          throw error;
        }
      });
    } catch (error) {
      throw isOf(error, 'unavailable') && isOf(first, 'timeout', 'malformed') ? first : error;
    }
  }

  private async once<T>(attempt: Attempt<T>): Promise<T> {
    // also asked outside of the breaker, for which a call that is late from the start must not be the probe
    this.patienceMs();
    this.followClock();
    try {
      return await this.breaker.execute(() => this.inTime(attempt));
    } catch (error) {
      if (error instanceof BrokenCircuitError || error instanceof IsolatedCircuitError) {
        throw this.ownLimit('circuit open');
      }
      throw error;
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

  /** Of an open circuit: only an answer closes it, whereas the breaker takes what is no trouble for one. */
  private hasProbed(error: Error): boolean {
    return error instanceof OwnLimitError && this.breaker.state === CircuitState.HalfOpen;
  }
}

/** By how much the machine's clock is ahead of the time that this process has run. */
const clockOffset = (): number => Date.now() - performance.now();

function isOf(error: unknown, ...failures: ProviderError['failure'][]): boolean {
  return error instanceof ProviderError && failures.includes(error.failure);
}

/** Whether a party is in trouble, as opposed to being asked the wrong thing. */
function isTrouble(error: Error): boolean {
  return isOf(error, 'unavailable', 'timeout', 'malformed') && !(error instanceof OwnLimitError);
}
