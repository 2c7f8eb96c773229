import { Injectable } from '@nestjs/common';

/** The clock, which tests and the sandbox can shift. */
@Injectable()
export class Clock {
  /** Milliseconds by which this clock is ahead of the machine's: 0 in production. */
  get aheadMs(): number {
    return 0;
  }

  get aheadSeconds(): number {
    return this.aheadMs / 1_000;
  }

  now(): Date {
    return new Date(Date.now() + this.aheadMs);
  }

  /** The time of evidence, and of what others compare with their own clock: it never follows the sandbox. */
  machineNow(): Date {
    return this.now();
  }
}
