import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { remainingMs, timeLimit } from '@fd/envelope';

/** A fifth of the requests in flight of a replica. Normal clients need a few. */
const MAX_OF_USER = 20;
/** Time for which a request waits for a slow provider. */
const WAIT_MS = timeLimit(1_500);
/** Time reserved for the answer. */
const ANSWER_MS = timeLimit(300);
/** Pause between two reads of a row that another request or replica works on. */
export const LOOK_AGAIN_MS = 50;

/** Milliseconds for which the current request may wait for a provider. */
export const waitMs = (): number => Math.min(WAIT_MS, remainingMs() - ANSWER_MS);

/**
 * Counts requests of a user that wait for another request or a worker. Each occupies a slot of the requests in flight,
 * and one user must not occupy all of them.
 */
@Injectable()
export class WaitingCallers {
  private readonly counts = new Map<string, number>();

  /** @returns a function that ends the wait; undefined if too many requests of the user wait */
  enter(userId: string): (() => void) | undefined {
    const count = this.counts.get(userId) ?? 0;
    if (count >= MAX_OF_USER) return undefined;
    this.counts.set(userId, count + 1);
    return () => {
      const left = this.counts.get(userId)! - 1;
      if (left > 0) this.counts.set(userId, left);
      else this.counts.delete(userId);
    };
  }

  /**
   * Repeats a read until it is done or `waitMs` is over; reads once if too many requests of the user wait.
   * @returns the last result
   */
  async readUntil<T>(userId: string, isDone: (result: T) => boolean, read: () => Promise<T>): Promise<T> {
    const leave = this.enter(userId);
    const until = leave ? performance.now() + waitMs() : 0;
    try {
      for (;;) {
        const result = await read();
        if (isDone(result) || performance.now() >= until) return result;
        await sleep(LOOK_AGAIN_MS);
      }
    } finally {
      leave?.();
    }
  }
}
