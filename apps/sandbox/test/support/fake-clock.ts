import { Clock } from '@fd/platform';

/** A clock that stops until a test advances it. */
export class FakeClock extends Clock {
  private nowMs = Date.now();

  override now(): Date {
    return new Date(this.nowMs);
  }

  advanceSeconds(seconds: number): void {
    this.nowMs += seconds * 1_000;
  }

  reset(): void {
    this.nowMs = Date.now();
  }
}
