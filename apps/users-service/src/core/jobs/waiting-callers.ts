import { Injectable } from '@nestjs/common';

/** A fifth of the requests that a replica has in flight. A client that repeats itself waits for one row with a few. */
const MAX_OF_USER = 20;

/**
 * Requests that wait for what another request or a worker does. Each holds a place among the requests in flight: one user must not
 * hold those of all.
 */
@Injectable()
export class WaitingCallers {
  private readonly counts = new Map<string, number>();

  /** @returns what ends the wait; undefined when enough requests of the user wait already */
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
