/**
 * A calendar date without time zone. Years have four digits, so that its text can be sorted and parsed. Created by `civilDate`,
 * `parseCivilDate` or the functions below, which all refuse dates that do not exist.
 */
export interface CivilDate {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  /** 1 to the length of the month. */
  readonly day: number;
}

const MIN_YEAR = 1000;
const MAX_YEAR = 9999;
const MS_PER_DAY = 86_400_000;
const TEXT_FORM = /^([0-9]{4})-([0-9]{2})-([0-9]{2})$/;

export function isLeapYear(year: number): boolean {
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
}

function daysInMonth(year: number, month: number): number {
  if (month === 2) return isLeapYear(year) ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

function exists(year: number, month: number, day: number): boolean {
  const isWhole = Number.isInteger(year) && Number.isInteger(month) && Number.isInteger(day);
  if (!isWhole || year < MIN_YEAR || year > MAX_YEAR) return false;
  return month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month);
}

/** Creates a date. @throws RangeError when it does not exist between the years 1000 and 9999 */
export function civilDate(year: number, month: number, day: number): CivilDate {
  if (!exists(year, month, day)) throw new RangeError(`no such calendar date: ${year}-${month}-${day}`);
  return { year, month, day };
}

export function isCivilDateText(text: string): boolean {
  const match = TEXT_FORM.exec(text);
  return match !== null && exists(Number(match[1]), Number(match[2]), Number(match[3]));
}

/** Reads YYYY-MM-DD. @throws RangeError for another form or a day that does not exist */
export function parseCivilDate(text: string): CivilDate {
  const match = TEXT_FORM.exec(text);
  if (!match) throw new RangeError(`a date has the form YYYY-MM-DD, got ${JSON.stringify(text)}`);
  return civilDate(Number(match[1]), Number(match[2]), Number(match[3]));
}

export function formatCivilDate({ year, month, day }: CivilDate): string {
  return `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
}

/** Compares two dates: negative if `a` is earlier, zero if they are equal, positive if `a` is later. */
export function compareCivilDates(a: CivilDate, b: CivilDate): number {
  return a.year - b.year || a.month - b.month || a.day - b.day;
}

// in UTC every day has exactly 86,400 seconds
function dayNumber({ year, month, day }: CivilDate): number {
  return Date.UTC(year, month - 1, day) / MS_PER_DAY;
}

/** Returns the calendar date in UTC of milliseconds since 1970. @throws RangeError outside of the years 1000 to 9999 */
export function utcDateOf(epochMs: number): CivilDate {
  const at = new Date(epochMs);
  return civilDate(at.getUTCFullYear(), at.getUTCMonth() + 1, at.getUTCDate());
}

/** Adds whole days (negative: subtracts). */
export function addDays(date: CivilDate, days: number): CivilDate {
  if (!Number.isInteger(days)) throw new RangeError(`days must be a whole number, got ${days}`);
  return utcDateOf((dayNumber(date) + days) * MS_PER_DAY);
}

/** Returns the days from one date to another; negative if `to` is earlier. */
export function daysBetween(from: CivilDate, to: CivilDate): number {
  return dayNumber(to) - dayNumber(from);
}

/**
 * Adds whole calendar months to the anchor and clamps the day to the end of the month. Always add to the anchor itself: adding to
 * a clamped date would lose the anchor's day (31 Jan, 28 Feb, 28 Mar).
 */
export function addMonths(anchor: CivilDate, months: number): CivilDate {
  if (!Number.isInteger(months)) throw new RangeError(`months must be a whole number, got ${months}`);
  const monthsSinceYearZero = anchor.year * 12 + anchor.month - 1 + months;
  const year = Math.floor(monthsSinceYearZero / 12);
  const month = monthsSinceYearZero - year * 12 + 1;
  return civilDate(year, month, Math.min(anchor.day, daysInMonth(year, month)));
}

/** Returns the largest number of whole months that, added to the anchor, does not pass `date`. */
export function completeMonths(anchor: CivilDate, date: CivilDate): number {
  const months = (date.year - anchor.year) * 12 + date.month - anchor.month;
  return compareCivilDates(addMonths(anchor, months), date) > 0 ? months - 1 : months;
}
