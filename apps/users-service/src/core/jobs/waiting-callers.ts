import { Injectable } from '@nestjs/common';

/** A fifth of the requests in flight of a replica. Normal clients need a few. */
const MAX_OF_USER = 20;

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
}
