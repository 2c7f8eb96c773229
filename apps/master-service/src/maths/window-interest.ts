import {
  addMonths,
  type CivilDate,
  compareCivilDates,
  completeMonths,
  daysBetween,
} from '../dates/civil-date.js';
import type { QuoteSwitches } from './convention.js';
import { Ratio } from './ratio.js';
import { yearFraction } from './year-fraction.js';

/** What all windows of one deposit share. */
export interface WindowRule {
  /** Start of the deposit: every rest is an anniversary of it. */
  readonly start: CivilDate;
  /** Annual rate as a fraction: 7.5 per cent is 3/40. */
  readonly rate: Ratio;
  /** Months of a rest; null: the whole window is one broken part. */
  readonly unitMonths: number | null;
  /** Whether a broken part earns at most what the rest that it belongs to would have earned. */
  readonly isBrokenPartCapped: boolean;
  readonly switches: QuoteSwitches;
}

/** A stretch of the deposit over which interest grows without being paid out. */
export interface Window {
  /** Months from the start of the deposit to the start of the window. */
  readonly fromMonth: number;
  readonly from: CivilDate;
  readonly to: CivilDate;
}

/** The days after the last complete rest, which earn simple interest on the balance compounded so far. */
export interface BrokenPart {
  readonly from: CivilDate;
  /** Whole months, counted only under the rule months-days. */
  readonly months: number;
  /** Days after those months. */
  readonly days: number;
  /** Year fraction, after the cap. */
  readonly years: Ratio;
  readonly isCapped: boolean;
}

/** What one window earns, unrounded and per rupee of principal. */
export interface WindowInterest {
  readonly window: Window;
  /** The complete rests in order, each as its year fraction. */
  readonly rests: readonly Ratio[];
  readonly broken: BrokenPart;
  /** Growth over the complete rests alone. */
  readonly restGrowth: Ratio;
  /** What a rupee at the start of the window has become at its end. */
  readonly growth: Ratio;
  /** Length of the window as the interest counts it: the rests' fractions and the broken one's. */
  readonly years: Ratio;
}

function restYears({ start, unitMonths, switches }: WindowRule, fromMonth: number): Ratio {
  if (unitMonths === null) throw new RangeError('a window without rests has no year fraction of a rest');
  if (switches.fullPeriods === 'nominal') return Ratio.of(unitMonths, 12);
  return yearFraction(
    switches.dayCount,
    addMonths(start, fromMonth),
    addMonths(start, fromMonth + unitMonths),
  );
}

function brokenPart(rule: WindowRule, fromMonth: number, to: CivilDate): BrokenPart {
  const { start, switches } = rule;
  const from = addMonths(start, fromMonth);
  // most windows of a deposit that pays out end with a rest
  if (compareCivilDates(from, to) === 0)
    return { from, months: 0, days: 0, years: Ratio.ZERO, isCapped: false };
  const months = switches.brokenRule === 'months-days' ? completeMonths(start, to) - fromMonth : 0;
  const afterMonths = addMonths(start, fromMonth + months);
  const counted = Ratio.of(months, 12).plus(yearFraction(switches.dayCount, afterMonths, to));
  const cap = rule.isBrokenPartCapped && rule.unitMonths !== null ? restYears(rule, fromMonth) : null;
  const isCapped = cap !== null && counted.compare(cap) > 0;
  return {
    from,
    months,
    days: daysBetween(afterMonths, to),
    years: isCapped ? cap : counted,
    isCapped,
  };
}

/** What a rupee becomes by simple interest over so many years. */
export function growthOf(rate: Ratio, years: Ratio): Ratio {
  return rate.times(years).plus(Ratio.ONE);
}

/**
 * Interest of one window: complete rests compound, the broken part behind them is simple. RangeError when the
 * window does not end after it starts.
 */
export function windowInterest(window: Window, rule: WindowRule): WindowInterest {
  const { start, rate, unitMonths, switches } = rule;
  if (compareCivilDates(window.from, window.to) >= 0)
    throw new RangeError('a window must end after it starts');
  const monthsInside = completeMonths(start, window.to) - window.fromMonth;
  const restCount = unitMonths === null ? 0 : Math.floor(monthsInside / unitMonths);
  const rests = Array.from({ length: restCount }, (_, index) =>
    restYears(rule, window.fromMonth + index * (unitMonths ?? 0)),
  );
  const [firstRest = Ratio.ZERO] = rests;
  const restGrowth =
    switches.fullPeriods === 'nominal'
      ? growthOf(rate, firstRest).power(restCount)
      : rests.reduce((growth, years) => growth.times(growthOf(rate, years)), Ratio.ONE);
  const broken = brokenPart(rule, window.fromMonth + restCount * (unitMonths ?? 0), window.to);
  return {
    window,
    rests,
    broken,
    restGrowth,
    growth: broken.years.isZero() ? restGrowth : restGrowth.times(growthOf(rate, broken.years)),
    years: rests.reduce((sum, years) => sum.plus(years), broken.years),
  };
}
