/**
 * Share of the most that is admitted however late the event loop runs: what holds it up may be the machine's other
 * work, and nobody would be served for that.
 */
const FLOOR = 0.25;
/** What is left of the limit after a look at which the loop ran late, and what is added, of the most, after another. */
const BACK_OFF = 0.7;
const GROWTH = 0.1;

/**
 * How many requests may be served at once. The limit falls quickly while the event loop runs late and rises slowly
 * afterwards, so that it settles where the loop is just in time instead of swinging between all and nothing.
 */
export class InFlightLimit {
  private limit: number;

  /** @param most requests that are ever admitted at once */
  constructor(private readonly most: number) {
    this.limit = most;
  }

  get current(): number {
    return Math.floor(this.limit);
  }

  get isLowered(): boolean {
    return this.limit < this.most;
  }

  /**
   * Takes note of one look at the event loop.
   * @param peak most requests that were in flight since the look before
   */
  adapt(isLate: boolean, peak: number): void {
    const floor = Math.max(1, this.most * FLOOR);
    this.limit = isLate
      ? // a limit that nobody reached was not what let the loop run late
        Math.max(floor, Math.min(this.limit, peak) * BACK_OFF)
      : Math.min(this.most, this.limit + this.most * GROWTH);
  }
}

const SAMPLE_EVERY_MS = 20;
const SAMPLES_A_LOOK = 25;

/**
 * Looks about twice a second at how late the event loop runs: timers, answers of stores and new requests all wait for
 * it. Node's own histogram of the delay, when it is reset, forgets a hold-up that has just ended: the ones that matter.
 */
export class EventLoopDelay {
  private readonly timer: NodeJS.Timeout;
  private sampledAt = performance.now();
  private samples = 0;
  private longestMs = 0;

  /** @param note hears at each look the longest delay since the look before, in milliseconds */
  constructor(private readonly note: (delayMs: number) => void) {
    this.timer = setInterval(() => this.sample(), SAMPLE_EVERY_MS);
    this.timer.unref();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private sample(): void {
    const now = performance.now();
    this.longestMs = Math.max(this.longestMs, now - this.sampledAt - SAMPLE_EVERY_MS);
    this.sampledAt = now;
    if (++this.samples < SAMPLES_A_LOOK) return;
    this.note(this.longestMs);
    this.samples = 0;
    this.longestMs = 0;
  }
}
