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
