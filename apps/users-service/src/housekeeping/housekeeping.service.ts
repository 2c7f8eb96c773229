import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { isError } from '@fd/errors';

const HOUR_MS = 3_600_000;

/** Deletes what is of no more use, a bounded number at a time. Any number of replicas may do so at once. */
export interface Chore {
  /** What is deleted, for the log. */
  readonly name: string;
  /** @returns how many were deleted */
  readonly run: () => Promise<number>;
}

/** Does every chore about once an hour. Features hand theirs in when they start. */
@Injectable()
export class Housekeeping implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger(Housekeeping.name);
  private readonly chores: Chore[] = [];
  private timer: NodeJS.Timeout | undefined;

  add(chore: Chore): void {
    this.chores.push(chore);
  }

  onModuleInit(): void {
    // replicas that started together need not work together
    this.timer = setInterval(() => void this.runAll(), HOUR_MS * (0.75 + Math.random() / 2));
    this.timer.unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  async runAll(): Promise<void> {
    for (const { name, run } of this.chores) {
      try {
        const deleted = await run();
        if (deleted > 0) this.logger.log({ msg: 'cleaned up', what: name, deleted });
      } catch (error) {
        // the next hour is soon enough
        this.logger.warn({ msg: 'not cleaned up', what: name, reason: isError(error) ? error.message : '' });
      }
    }
  }
}
