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
  /** The running probe of an open circuit. */
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
