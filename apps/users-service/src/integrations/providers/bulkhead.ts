/** Limits parallel calls, and the queue behind them. */
export class Bulkhead {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(
    private readonly maxRunning: number,
    private readonly maxWaiting: number,
  ) {}

  get isIdle(): boolean {
    return this.running === 0;
  }

  /** Runs WORK when there is room; throws WHEN_FULL() if the queue is full. */
  async run<T>(work: () => Promise<T>, whenFull: () => Error): Promise<T> {
    if (this.running < this.maxRunning) this.running++;
    else if (this.waiting.length < this.maxWaiting) {
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    } else throw whenFull();
    try {
      return await work();
    } finally {
      // hands its place to the longest waiting call, before a new call can take it
      const next = this.waiting.shift();
      if (next) next();
      else this.running--;
    }
  }
}
