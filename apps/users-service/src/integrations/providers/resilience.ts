import { setTimeout as sleep } from 'node:timers/promises';
import { atLimit, remainingMs, requestStore, timeLimit } from '@fd/envelope';
import { ProviderError } from '@fd/errors';
import { UserBulkheadFullError } from './provider-failures.js';

export const RESILIENCE_LIMITS = {
  /** Parallel calls to one provider, and the queue behind them. */
  maxRunning: 20,
  maxWaiting: 20,
  maxRunningOfUser: 3,
  maxWaitingOfUser: 27,
  /** The circuit opens if more than half of at least `minCalls` calls within this time fail. */
  sampleMs: 10_000,
  minCalls: 20,
  /** Time for which an open circuit refuses calls; then one call probes. */
  openMs: 15_000,
  /** Whether calls wait for the probe, and for the end of a pause. */
  waitsForProbe: true,
  /** Pause after a throttled call if the provider names none, and the longest pause that it may name. */
  throttledMs: 1_000,
  maxThrottledMs: 5_000,
  /** Maximum of the random pause before a retry. */
  pauseMs: 100,
};
export type ResilienceLimits = Readonly<typeof RESILIENCE_LIMITS>;

/** Time reserved to write and answer after a provider has answered. */
const RESERVE_MS = timeLimit(300);

type Attempt<T> = (signal: AbortSignal) => Promise<T>;

/** Our own limits prevented or shortened the call, so the error says nothing about the provider's health. */
class OwnLimitError extends ProviderError {}

class Bulkhead {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(
    private readonly maxRunning: number,
    private readonly maxWaiting: number,
  ) {}

  get isIdle(): boolean {
    return this.running === 0;
  }

  /** Runs WORK once fewer than `maxRunning` run; throws WHEN_FULL() if the queue is full. */
  async run<T>(work: () => Promise<T>, whenFull: () => Error): Promise<T> {
    if (this.running < this.maxRunning) this.running++;
    else if (this.waiting.length < this.maxWaiting) {
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    } else throw whenFull();
    try {
      return await work();
    } finally {
      // the call that has waited longest is next, before any new call
      const next = this.waiting.shift();
      if (next) next();
      else this.running--;
    }
  }
}

/**
 * Meaning of an error for the provider's health. After an `answer` the provider is healthy; `fatal` opens the circuit
 * immediately, because the provider refuses all calls until an operator acts.
 */
export type Verdict = 'failure' | 'fatal' | 'answer' | 'nothing';

/** Buckets of the sliding window. */
const PARTS = 10;

/** Stops calls to a failing provider. Uses monotonic time. */
export class CircuitBreaker {
  private parts: { number: number; calls: number; failures: number }[] = [];
  /** Undefined while the circuit is closed. */
  private openUntil: number | undefined;
  private probe: Promise<void> | undefined;

  constructor(
    private readonly limits: {
      readonly sampleMs: number;
      readonly minCalls: number;
      readonly openMs: number;
      /** Whether calls wait for a running probe; otherwise they are refused until it has succeeded. */
      readonly waitsForProbe: boolean;
    },
    private readonly verdictOf: (error: unknown) => Verdict,
  ) {}

  get isOpen(): boolean {
    return this.openUntil !== undefined && !this.probe;
  }

  /** Runs WORK; throws WHEN_OPEN() while the circuit is open. */
  async run<T>(work: () => Promise<T>, whenOpen: () => Error): Promise<T> {
    while (this.probe) {
      if (!this.limits.waitsForProbe) throw whenOpen();
      await this.probe;
    }
    if (this.openUntil === undefined) return this.counted(work);
    if (performance.now() < this.openUntil) throw whenOpen();
    const call = work();
    this.probe = call.then(
      () => this.close(),
      (error: unknown) => (this.verdictOf(error) === 'answer' ? this.close() : this.open()),
    );
    return call;
  }

  private async counted<T>(work: () => Promise<T>): Promise<T> {
    try {
      const result = await work();
      this.count(0);
      return result;
    } catch (error) {
      const verdict = this.verdictOf(error);
      if (verdict === 'failure') this.count(1);
      if (verdict === 'fatal' && this.openUntil === undefined) this.open();
      throw error;
    }
  }

  private count(failures: 0 | 1): void {
    const number = Math.floor((performance.now() / this.limits.sampleMs) * PARTS);
    let part = this.parts.at(-1);
    if (part?.number !== number) {
      part = { number, calls: 0, failures: 0 };
      this.parts = [...this.parts.filter((earlier) => earlier.number > number - PARTS), part];
    }
    part.calls++;
    part.failures += failures;
    // a call from before the opening must not extend it
    if (failures === 0 || this.openUntil !== undefined) return;
    const sum = (of: 'calls' | 'failures') => this.parts.reduce((total, counts) => total + counts[of], 0);
    if (sum('calls') >= this.limits.minCalls && sum('failures') * 2 > sum('calls')) this.open();
  }

  private open(): void {
    this.probe = undefined;
    this.openUntil = performance.now() + this.limits.openMs;
  }

  private close(): void {
    this.probe = undefined;
    this.openUntil = undefined;
    this.parts = [];
  }
}

/**
 * Resilience of one provider: limits parallel calls in total and for each user, stops calls while the provider fails,
 * delays calls while it throttles, and retries only safe calls.
 */
export class Resilience {
  private readonly breaker: CircuitBreaker;
  private readonly bulkhead: Bulkhead;
  private readonly userBulkheads = new Map<string, Bulkhead>();
  /** End of the pause after a throttled call, in monotonic time. */
  private pausedUntil = 0;

  constructor(
    private readonly provider: string,
    private readonly timeoutMs: number,
    private readonly limits: ResilienceLimits = RESILIENCE_LIMITS,
  ) {
    this.breaker = new CircuitBreaker(limits, verdictOf);
    this.bulkhead = new Bulkhead(limits.maxRunning, limits.maxWaiting);
  }

  get isOpen(): boolean {
    return this.breaker.isOpen;
  }

  /**
   * @param isRepeatable whether a second try is safe: the call only reads, or has an idempotency key
   * @throws ProviderError; UserBulkheadFullError if the user has too many running calls
   */
  async run<T>(isRepeatable: boolean, attempt: Attempt<T>): Promise<T> {
    const work = () => (isRepeatable ? this.twice(attempt) : this.once(attempt));
    return this.inUserBulkhead(() => this.bulkhead.run(work, () => this.ownLimit('too many calls')));
  }

  /** Limits the parallel calls of the current user. Calls without a user are not limited here. */
  private async inUserBulkhead<T>(work: () => Promise<T>): Promise<T> {
    const userId = requestStore()?.userId;
    if (userId === undefined) return work();
    const { maxRunningOfUser, maxWaitingOfUser } = this.limits;
    const bulkhead = this.userBulkheads.get(userId) ?? new Bulkhead(maxRunningOfUser, maxWaitingOfUser);
    this.userBulkheads.set(userId, bulkhead);
    const detail = 'too many calls of one user';
    try {
      return await bulkhead.run(
        work,
        () => new UserBulkheadFullError(this.provider, 'unavailable', { detail, reason: 'not-sent' }),
      );
    } finally {
      // a call that started in the meantime may have its own bulkhead
      if (bulkhead.isIdle && this.userBulkheads.get(userId) === bulkhead) this.userBulkheads.delete(userId);
    }
  }

  /** The first try may have taken effect, so its failure is thrown if the second try gets no answer. */
  private async twice<T>(attempt: Attempt<T>): Promise<T> {
    try {
      return await this.once(attempt);
    } catch (first) {
      if (verdictOf(first) !== 'failure') throw first;
      await sleep(this.limits.pauseMs * Math.random());
      return this.once(attempt).catch((second: unknown) => {
        if (!(second instanceof ProviderError)) throw second;
        const isOpen = isOf(first, 'timeout', 'malformed') && !isOf(second, 'timeout', 'malformed');
        const mayCost = first instanceof ProviderError && !first.isFree && second.isFree;
        throw isOpen || mayCost ? first : second;
      });
    }
  }

  private async once<T>(attempt: Attempt<T>): Promise<T> {
    // also checked here: a call without time left must not become the probe
    const pausedMs = this.pauseFor(this.timeLeftMs());
    if (pausedMs > 0) await sleep(pausedMs);
    return this.breaker.run(
      () => this.inTime(attempt, pausedMs),
      () => this.ownLimit('circuit open'),
    );
  }

  /**
   * Returns how long a call waits for the end of the provider's pause, in milliseconds. A call waits once, so that
   * repeated throttling does not hold it for ever. The wait is part of the try's time limit, which leases of jobs cover,
   * and leaves at least half of it, because a call that is cut short may still count at the provider.
   * @throws ProviderError `throttled` if the pause is longer
   */
  private pauseFor(timeLeftMs: number): number {
    const ms = Math.max(0, this.pausedUntil - performance.now());
    const isTooLong = ms > timeLeftMs / 2 || !this.limits.waitsForProbe;
    if (ms > 0 && isTooLong) throw this.ownLimit('throttled');
    return ms;
  }

  /** Ends a try early enough to answer the current request. @param pausedMs used part of its time limit */
  private async inTime<T>(attempt: Attempt<T>, pausedMs: number): Promise<T> {
    const ms = this.timeLeftMs(pausedMs);
    return withTimeLimit(Math.ceil(ms), async (signal) => {
      try {
        return await attempt(signal);
      } catch (error) {
        if (error instanceof ProviderError && error.reason === 'throttled') this.pause(error);
        const isCutShort = ms < this.timeoutMs && signal.aborted && isOf(error, 'timeout', 'unavailable');
        if (!isCutShort) throw error;
        const { failure, reason } = error;
        throw new OwnLimitError(this.provider, failure, { detail: 'cut short', reason });
      }
    });
  }

  private pause({ retryAfterMs = this.limits.throttledMs }: ProviderError): void {
    const until = performance.now() + Math.min(retryAfterMs, this.limits.maxThrottledMs);
    this.pausedUntil = Math.max(this.pausedUntil, until);
  }

  private timeLeftMs(pausedMs = 0): number {
    const ms = Math.min(this.timeoutMs - pausedMs, remainingMs() - RESERVE_MS);
    if (ms <= 0) throw this.ownLimit('no time left');
    return ms;
  }

  private ownLimit(detail: string): ProviderError {
    return new OwnLimitError(this.provider, 'unavailable', { detail, reason: 'not-sent' });
  }
}

function isOf(error: unknown, ...failures: ProviderError['failure'][]): error is ProviderError {
  return error instanceof ProviderError && failures.includes(error.failure);
}

/**
 * Refused requests, throttling and an outage behind the provider, such as of a bank, are no failures of the provider.
 * Refused credentials concern all users.
 */
function verdictOf(error: unknown): Verdict {
  if (error instanceof OwnLimitError) return 'nothing';
  if (isOf(error, 'misconfigured')) return 'fatal';
  if (error instanceof ProviderError && (error.reason === 'throttled' || error.reason === 'elsewhere'))
    return 'answer';
  return isOf(error, 'unavailable', 'timeout', 'malformed') ? 'failure' : 'answer';
}

/**
 * Runs WORK with a signal that fires after MS milliseconds. The timer ends with the work: thousands of timers of
 * AbortSignal.timeout() would run on under load.
 */
export async function withTimeLimit<T>(ms: number, work: Attempt<T>): Promise<T> {
  const limit = new AbortController();
  const cancel = atLimit(() => limit.abort(), ms);
  try {
    return await work(limit.signal);
  } finally {
    cancel();
  }
}
