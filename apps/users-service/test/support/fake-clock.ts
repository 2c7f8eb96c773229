import { Clock } from '@fd/platform';

/** A clock that tests move forward. The OTP scripts in Redis use it too. */
export class FakeClock extends Clock {
  private ahead = 0;

  override get aheadMs(): number {
    return this.ahead;
  }

  advanceSeconds(seconds: number): void {
    this.ahead += seconds * 1_000;
  }

  /** Returns to the real time. */
  reset(): void {
    this.ahead = 0;
  }
}
