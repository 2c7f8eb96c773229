import { Clock } from '@fd/platform';

/** A clock that stands still until a test sets it forward. */
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
