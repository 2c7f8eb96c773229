import type { Compounding, PayoutFrequency } from '@fd/contracts';
import { type CivilDate, civilDate, daysBetween, isLeapYear } from '../dates/civil-date.js';
import { Ratio, ROUNDING_MODES } from './ratio.js';

/** Options in which issuers differ: the values of each, the default first. */
export const SWITCH_VALUES = {
  /** Year fraction of days: divided by 365, or days of leap years by 366. */
  dayCount: ['ACT/365', 'ACT/ACT'],
  /** Interest of a complete rest: rate times months over 12, or rate times the year fraction of its actual days. */
  fullPeriods: ['nominal', 'daycount'],
  /** Measure of the part after the last complete rest: in days, or in whole months and then days. */
  brokenRule: ['days', 'months-days'],
  /** Interest of a payout period shorter than the rest: the card rate, or the discounted interest of a rest. */
  payoutBasis: ['card', 'discounted'],
  /** Decimal places of a reported amount: paise or whole rupees. */
  places: [2, 0],
  rounding: ROUNDING_MODES,
} as const;

type SwitchName = keyof typeof SWITCH_VALUES;

export type QuoteSwitches = {
  readonly [Name in SwitchName]: (typeof SWITCH_VALUES)[Name][number];
};

const MONTHS = { Monthly: 1, Quarterly: 3, HalfYearly: 6, Yearly: 12 } as const;

/** Months between two rests; null: nothing compounds. */
export const REST_MONTHS: Readonly<Record<Compounding, number | null>> = { ...MONTHS, Simple: null };

/** Months between two payouts; null: one payout, at maturity. */
export const PAYOUT_MONTHS: Readonly<Record<PayoutFrequency, number | null>> = { ...MONTHS, Maturity: null };

/** A limit against absurd inputs (a hundred years); products have far narrower ones. */
export const MAX_TENURE_DAYS = 36_525;

/** @throws RangeError unless a tenure is a whole number of days from 1 to MAX_TENURE_DAYS */
export function checkTenure(tenureDays: number): void {
  if (!Number.isInteger(tenureDays) || tenureDays < 1 || tenureDays > MAX_TENURE_DAYS) {
    throw new RangeError(`tenure must be 1 to ${MAX_TENURE_DAYS} whole days, got ${tenureDays}`);
  }
}

const NO_OVERRIDES = {};
/** Caches resolved switches by their input, which is immutable. */
const resolved = new WeakMap<Partial<QuoteSwitches>, QuoteSwitches>();

/** An issuer's switches, with defaults for undefined ones. @throws RangeError for an unknown value */
export function resolveSwitches(overrides: Partial<QuoteSwitches> = NO_OVERRIDES): QuoteSwitches {
  const known = resolved.get(overrides);
  if (known) return known;
  const entries = Object.entries(SWITCH_VALUES).map(([name, values]) => {
    const { [name as SwitchName]: value = values[0] } = overrides;
    const allowed: readonly unknown[] = values;
    if (!allowed.includes(value))
      throw new RangeError(`${name} must be one of ${allowed.join(', ')}, got ${String(value)}`);
    return [name, value];
  });
  const switches = Object.fromEntries(entries) as QuoteSwitches;
  resolved.set(overrides, switches);
  return switches;
}

/**
 * The year fraction of actual days, including `from` and excluding `to`. ACT/365 divides by 365 in leap years too; ACT/ACT
 * divides the days of leap years by 366. @throws RangeError when `to` is before `from`
 */
export function yearFraction(dayCount: QuoteSwitches['dayCount'], from: CivilDate, to: CivilDate): Ratio {
  const days = daysBetween(from, to);
  if (days < 0) throw new RangeError('a period cannot end before it starts');
  if (dayCount === 'ACT/365') return Ratio.of(days, 365);
  const leapDays = leapDaysBetween(from, to);
  // one denominator for all periods keeps sums short
  return Ratio.of(leapDays * 365 + (days - leapDays) * 366, 365 * 366);
}

/** Days of a period in leap years, including the first day and excluding the last. */
function leapDaysBetween(from: CivilDate, to: CivilDate): number {
  let leapDays = 0;
  for (let year = from.year; year <= to.year; year += 1) {
    if (!isLeapYear(year)) continue;
    const first = year === from.year ? from : civilDate(year, 1, 1);
    // counts to 31 December and adds one, because 1 January of the year 10000 is not a date
    leapDays += year === to.year ? daysBetween(first, to) : daysBetween(first, civilDate(year, 12, 31)) + 1;
  }
  return leapDays;
}
