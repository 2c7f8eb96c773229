/**
 * Meaning of a call's error for the provider's health. After an `answer` it may be called again; after `hopeless` it refuses
 * everybody until an operator acts, and is left alone at once.
 */
export type Verdict = 'failure' | 'hopeless' | 'answer' | 'nothing';

/** Parts in which a sample is counted and forgotten. */
const PARTS = 10;

/** Leaves a provider alone while it fails. Goes by the time gone by, not by the machine's clock, which can be set. */
export class CircuitBreaker {
  private parts: { number: number; calls: number; failures: number }[] = [];
  /** Undefined while the circuit is closed. */
  private openUntil: number | undefined;
  /** Ends with the call that finds out whether an open circuit can be closed. */
  private probe: Promise<void> | undefined;

  constructor(
    private readonly limits: {
      readonly sampleMs: number;
      readonly minCalls: number;
      readonly openMs: number;
    },
    private readonly verdictOf: (error: unknown) => Verdict,
  ) {}

  get isOpen(): boolean {
    return this.openUntil !== undefined && !this.probe;
  }

  /** Does WORK, after a probe that is under way; while the circuit is open, throws what WHEN_OPEN makes. */
  async run<T>(work: () => Promise<T>, whenOpen: () => Error): Promise<T> {
    while (this.probe) await this.probe;
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
      if (verdict === 'hopeless' && this.openUntil === undefined) this.open();
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
    // a call that began before the circuit opened must not keep it open
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
