/** The limit never falls below this share of the maximum: other work of the machine may delay the event loop. */
const FLOOR = 0.25;
/** Factor of the limit after a late sample. */
const BACK_OFF = 0.7;
/** Share of the maximum that each other sample adds. */
const GROWTH = 0.1;

/**
 * How many requests may be served at once. The limit falls quickly while the event loop runs late and rises slowly
 * afterwards, so that it settles at the machine's capacity instead of oscillating.
 */
export class InFlightLimit {
  private limit: number;

  /** @param most upper bound of the limit */
  constructor(private readonly most: number) {
    this.limit = most;
  }

  get current(): number {
    return Math.floor(this.limit);
  }

  get isLowered(): boolean {
    return this.limit < this.most;
  }

  /** Adapts the limit to one sample of the event loop. @param peak most requests in flight since the previous sample */
  adapt(isLate: boolean, peak: number): void {
    const floor = Math.max(1, this.most * FLOOR);
    this.limit = isLate
      ? // a limit above the peak did not cause the delay
        Math.max(floor, Math.min(this.limit, peak) * BACK_OFF)
      : Math.min(this.most, this.limit + this.most * GROWTH);
  }
}

const SAMPLE_EVERY_MS = 20;
const SAMPLES_PER_REPORT = 25;

/**
 * Reports about twice a second how late the event loop runs: timers, answers of stores and new requests all wait for
 * it. Node's own histogram loses a delay that ends as it is reset, which is the kind that matters.
 * @param note receives the longest delay since the previous report, in milliseconds
 */
export function watchEventLoop(note: (delayMs: number) => void): NodeJS.Timeout {
  let sampledAt = performance.now();
  let samples = 0;
  let longestMs = 0;
  return setInterval(() => {
    const now = performance.now();
    longestMs = Math.max(longestMs, now - sampledAt - SAMPLE_EVERY_MS);
    sampledAt = now;
    if (++samples < SAMPLES_PER_REPORT) return;
    note(longestMs);
    samples = longestMs = 0;
  }, SAMPLE_EVERY_MS).unref();
}
