import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { isError } from '@fd/errors';

const PERIOD_MS = 300_000;
/** Batches of one chore in a row; what is left then waits for the next round. */
const MAX_BATCHES = 200;

/** Deletes what is of no more use, one bounded batch at a time. Any number of replicas may do so at once. */
export interface Chore {
  /** What is deleted, for the log. */
  readonly name: string;
  /** @returns how many this batch deleted; 0: nothing is left */
  readonly run: () => Promise<number>;
}

/** Does every chore every few minutes, until nothing is left. Features hand theirs in when they start. */
@Injectable()
export class Housekeeping implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger(Housekeeping.name);
  private readonly chores: Chore[] = [];
  private timer: NodeJS.Timeout | undefined;
  private isEnding = false;
  private isAtWork = false;

  add(chore: Chore): void {
    this.chores.push(chore);
  }

  onModuleInit(): void {
    // replicas that started together need not work together
    this.timer = setInterval(() => void this.runAll(), PERIOD_MS * (0.75 + Math.random() / 2));
    this.timer.unref();
  }

  onApplicationShutdown(): void {
    this.isEnding = true;
    clearInterval(this.timer);
  }

  async runAll(): Promise<void> {
    if (this.isAtWork) return;
    this.isAtWork = true;
    for (const chore of this.chores) await this.finish(chore);
    this.isAtWork = false;
  }

  private async finish({ name, run }: Chore): Promise<void> {
    let deleted = 0;
    try {
      for (let batch = 0; batch < MAX_BATCHES && !this.isEnding; batch++) {
        const count = await run();
        if (count === 0) break;
        deleted += count;
      }
    } catch (error) {
      // the next round is soon enough
      this.logger.warn({ msg: 'not cleaned up', what: name, reason: isError(error) ? error.message : '' });
    }
    if (deleted > 0) this.logger.log({ msg: 'cleaned up', what: name, deleted });
  }
}
