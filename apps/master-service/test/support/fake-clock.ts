import { Clock } from '@fd/platform';

/** A clock that stops until it is set. */
export class FakeClock extends Clock {
  private instant: Date;

  constructor(iso: string) {
    super();
    this.instant = new Date(iso);
  }

  override now(): Date {
    return this.instant;
  }

  set(iso: string): void {
    this.instant = new Date(iso);
  }
}
