import { Clock } from '@fd/platform';

/** A clock that stands still until a test sets it forward. */
export class FakeClock extends Clock {
  private readonly startMs = Date.now();
  private movedMs = 0;

  override now(): Date {
    return new Date(this.startMs + this.movedMs);
  }

  advanceSeconds(seconds: number): void {
    this.movedMs += seconds * 1_000;
  }
}
