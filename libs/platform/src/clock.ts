import { Injectable } from '@nestjs/common';

/** The clock, which tests can shift. */
@Injectable()
export class Clock {
  /** Milliseconds by which this clock is ahead of the machine's: 0 except in tests. */
  get aheadMs(): number {
    return 0;
  }

  now(): Date {
    return new Date(Date.now() + this.aheadMs);
  }
}
