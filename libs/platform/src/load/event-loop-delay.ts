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
