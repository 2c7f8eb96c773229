import { Clock } from '@fd/platform';

/** A clock that tests move forward; Redis's own time moves along with it in the OTP scripts. */
export class FakeClock extends Clock {
  private ahead = 0;

  override get aheadMs(): number {
    return this.ahead;
  }

  advanceSeconds(seconds: number): void {
    this.ahead += seconds * 1_000;
  }

  /** Back to the real time. */
  reset(): void {
    this.ahead = 0;
  }
}
