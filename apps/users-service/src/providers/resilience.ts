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
  wrap,
} from 'cockatiel';

export interface ResilienceLimits {
  /** Calls to one party that run at once, and calls that wait for one of them. */
  readonly maxRunning: number;
  readonly maxWaiting: number;
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
  sampleMs: 10_000,
  minCalls: 20,
  openMs: 15_000,
  pauseMs: 100,
};

const MAX_PAUSE_MS = 1_000;
/** What is left for us to write down and answer after a party has answered. */
const RESERVE_MS = 300;

/**
 * How one party is treated, whatever is asked of it: bounded in parallel calls, left alone while it is failing,
 * asked again only where that is harmless.
 */
export class Resilience {
  private readonly breaker: CircuitBreakerPolicy;
  private readonly once: IPolicy;
  private readonly twice: IPolicy;

  constructor(
    private readonly provider: string,
    private readonly timeoutMs: number,
    limits: ResilienceLimits = RESILIENCE_LIMITS,
  ) {
    const { maxRunning, maxWaiting, sampleMs, minCalls, openMs, pauseMs } = limits;
    this.breaker = circuitBreaker(handleWhen(isTrouble), {
      breaker: new SamplingBreaker({
        threshold: 0.5,
        duration: sampleMs,
        minimumRps: minCalls / (sampleMs / 1_000),
      }),
      halfOpenAfter: openMs,
    });
    const room = bulkhead(maxRunning, maxWaiting);
    // jittered by the library's own generator
    const backoff = new ExponentialBackoff({ initialDelay: pauseMs, maxDelay: MAX_PAUSE_MS });
    const again = retry(handleWhen(isTrouble), { maxAttempts: 1, backoff });
    this.once = wrap(room, this.breaker);
    this.twice = wrap(room, again, this.breaker);
  }

  get isOpen(): boolean {
    return this.breaker.state === CircuitState.Open;
  }

  /**
   * @param isRepeatable whether a second try does no harm: the call reads, or carries an idempotency key
   * @throws ProviderError
   */
  async run<T>(isRepeatable: boolean, attempt: (signal: AbortSignal) => Promise<T>): Promise<T> {
    try {
      return await (isRepeatable ? this.twice : this.once).execute(() => attempt(this.patience()));
    } catch (error) {
      if (error instanceof BrokenCircuitError || error instanceof IsolatedCircuitError) {
        throw new ProviderError(this.provider, 'unavailable', { detail: 'circuit open' });
      }
      if (error instanceof BulkheadRejectedError) {
        throw new ProviderError(this.provider, 'unavailable', { detail: 'too many calls' });
      }
      throw error;
    }
  }

  /** Ends a try in time for the answer to the request that is being served. */
  private patience(): AbortSignal {
    const ms = Math.min(this.timeoutMs, remainingMs() - RESERVE_MS);
    if (ms <= 0) throw new ProviderError(this.provider, 'unavailable', { detail: 'no time left' });
    return AbortSignal.timeout(Math.ceil(ms));
  }
}

/** Whether a party is in trouble, as opposed to being asked the wrong thing. */
function isTrouble(error: Error): boolean {
  return error instanceof ProviderError && ['unavailable', 'timeout', 'malformed'].includes(error.failure);
}
