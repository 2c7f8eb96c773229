import { type CivilDate, civilDate, daysBetween, isLeapYear } from '../dates/civil-date.js';
import type { QuoteSwitches } from './convention.js';
import { Ratio } from './ratio.js';

/** Days of a period, the first included and the last not, that lie in a leap year and that do not. */
function splitAtNewYear(from: CivilDate, to: CivilDate): { leapDays: number; otherDays: number } {
  let leapDays = 0;
  for (let year = from.year; year <= to.year; year += 1) {
    if (!isLeapYear(year)) continue;
    const first = year === from.year ? from : civilDate(year, 1, 1);
    // counted to 31 December and one on, because 1 January of the year after 9999 is no date
    const days = year === to.year ? daysBetween(first, to) : daysBetween(first, civilDate(year, 12, 31)) + 1;
    leapDays += days;
  }
  return { leapDays, otherDays: daysBetween(from, to) - leapDays };
}

/**
 * The years that actual days make, `from` included and `to` not. ACT/365 divides by 365 in leap years too;
 * ACT/ACT divides the days of leap years by 366. RangeError when `to` is before `from`.
 */
export function yearFraction(dayCount: QuoteSwitches['dayCount'], from: CivilDate, to: CivilDate): Ratio {
  const days = daysBetween(from, to);
  if (days < 0) throw new RangeError('a period cannot end before it starts');
  switch (dayCount) {
    case 'ACT/365':
      return Ratio.of(days, 365);
    case 'ACT/ACT': {
      const { leapDays, otherDays } = splitAtNewYear(from, to);
      // one denominator for all periods, so that sums of them stay short
      return Ratio.of(leapDays * 365 + otherDays * 366, 365 * 366);
    }
  }
}
