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
