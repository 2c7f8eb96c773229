import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@nestjs/common';
import { isError } from '@fd/errors';

const ROUND_MS = 1_000;
/** How long an ending replica waits for a round; what it leaves is another one's. */
const FAREWELL_MS = 3_000;

/**
 * Work that every replica does again and again, about each second and never twice at once, until the service ends. A
 * store that is away is told once, and asked again each round.
 */
export class Rounds {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();
  private hasEnded = false;
  private isFailing = false;

  /**
   * @param work one round
   * @param waiting what waits while rounds fail, for the log
   */
  constructor(
    private readonly work: () => Promise<void>,
    private readonly logger: Logger,
    private readonly waiting: string,
  ) {}

  /** Whether a round that is under way is to leave the rest of its work. */
  get isEnding(): boolean {
    return this.hasEnded;
  }

  begin(): void {
    if (this.hasEnded) return;
    // replicas that started together need not work together
    const pause = ROUND_MS * (0.75 + Math.random() / 2);
    this.timer = setTimeout(() => {
      this.running = this.round().finally(() => this.begin());
    }, pause);
    this.timer.unref();
  }

  async end(): Promise<void> {
    this.hasEnded = true;
    clearTimeout(this.timer);
    await Promise.race([this.running, sleep(FAREWELL_MS, undefined, { ref: false })]);
  }

  private async round(): Promise<void> {
    try {
      await this.work();
      this.isFailing = false;
    } catch (error) {
      if (!this.isFailing) this.logger.warn({ msg: this.waiting, reason: reasonOf(error) });
      this.isFailing = true;
    }
  }
}

/** Name and message of an error, for the log. */
export function reasonOf(error: unknown): string {
  return isError(error) ? `${error.name}: ${error.message}`.slice(0, 200) : typeof error;
}
