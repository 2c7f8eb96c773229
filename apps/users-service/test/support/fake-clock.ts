import { indiaDateOf } from '@fd/contracts';
import { Clock } from '@fd/platform';

const DAY_SECONDS = 86_400;

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

/**
 * Moves a clock to two minutes before a midnight in India.
 * @returns tomorrow's date by the clock, and the birth date of who turns 18 at that midnight
 */
export function twoMinutesBefore18(clock: FakeClock): { tomorrow: () => string; dob: string } {
  const indiaSeconds = Math.floor(clock.now().getTime() / 1_000) + 19_800;
  clock.advanceSeconds(DAY_SECONDS - (indiaSeconds % DAY_SECONDS) - 120);
  const tomorrow = () => indiaDateOf(new Date(clock.now().getTime() + DAY_SECONDS * 1_000));
  // a date that also exists 18 years earlier
  if (tomorrow().endsWith('-02-29')) clock.advanceSeconds(DAY_SECONDS);
  return { tomorrow, dob: `${Number(tomorrow().slice(0, 4)) - 18}${tomorrow().slice(4)}` };
}
