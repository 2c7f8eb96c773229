import type { Compounding, PayoutFrequency } from '@fd/contracts';
import {
  addDays,
  addMonths,
  type CivilDate,
  compareCivilDates,
  completeMonths,
  daysBetween,
} from '../dates/civil-date.js';
import { PAYOUT_MONTHS, type QuoteSwitches, REST_MONTHS, yearFraction } from './convention.js';
import { Ratio } from './ratio.js';

/** Monthly and quarterly rests compound only in deposits of at least this many months. */
const COMPOUNDING_FROM_MONTHS = 6;

/** A period of the deposit in which interest accrues without payout. */
export interface Window {
  /** Months from the start of the deposit to the start of the window. */
  readonly fromMonth: number;
  readonly from: CivilDate;
  readonly to: CivilDate;
}

/** The division of a deposit into windows, one for each row of interest. */
interface PayoutPlan {
  /** Start of the deposit: every rest is an anniversary of it. */
  readonly start: CivilDate;
  /** `short`: too short for its rests to compound; `simple`: never compounds; `compound`: rests compound. */
  readonly kind: 'compound' | 'short' | 'simple';
  /** Months of a compounding rest; null when nothing compounds. */
  readonly restMonths: number | null;
  /** Months between payouts; null: everything at maturity. */
  readonly payoutMonths: number | null;
  /** Unit in which a window is measured; null: the window is one broken part. */
  readonly unitMonths: number | null;
  readonly windows: readonly Window[];
}

export interface PayoutRule {
  /** Annual rate as a fraction: 7.5 per cent is 3/40. */
  readonly rate: Ratio;
  readonly plan: PayoutPlan;
  readonly switches: QuoteSwitches;
}

/** The days after the last complete rest, which earn simple interest on the compounded balance. */
export interface BrokenPart {
  readonly from: CivilDate;
  /** Whole months, counted only under the rule months-days. */
  readonly months: number;
  readonly days: number;
  /** Year fraction, after the cap. */
  readonly years: Ratio;
  /** Whether its interest is capped at that of its rest. */
  readonly isCapped: boolean;
}

/** Interest of a window, unrounded and per rupee of principal. */
export interface WindowInterest {
  readonly window: Window;
  /** Year fractions of the complete rests in order. */
  readonly rests: readonly Ratio[];
  readonly broken: BrokenPart;
  /** Growth over the complete rests only. */
  readonly restGrowth: Ratio;
  /** The value at the end of the window of a rupee at its start. */
  readonly growth: Ratio;
  /** Year fraction of the window: rests and remaining part. */
  readonly years: Ratio;
}

/** Divides a deposit into windows and gives the unit of each. */
export function planPayouts(
  start: CivilDate,
  tenureDays: number,
  compounding: Compounding,
  payoutFrequency: PayoutFrequency,
): PayoutPlan {
  const maturity = addDays(start, tenureDays);
  const kind = growthKind(start, maturity, REST_MONTHS[compounding]);
  const rest = kind === 'compound' ? REST_MONTHS[compounding] : null;
  const every = PAYOUT_MONTHS[payoutFrequency];
  return {
    start,
    kind,
    restMonths: rest,
    payoutMonths: every,
    unitMonths: rest !== null && every !== null ? Math.min(rest, every) : (rest ?? every),
    windows: cutIntoWindows(start, maturity, every),
  };
}

function growthKind(start: CivilDate, maturity: CivilDate, rest: number | null): PayoutPlan['kind'] {
  if (rest === null) return 'simple';
  // half-yearly and yearly rests need no exception: none is complete that early
  const isShort =
    rest < COMPOUNDING_FROM_MONTHS &&
    compareCivilDates(maturity, addMonths(start, COMPOUNDING_FROM_MONTHS)) < 0;
  return isShort ? 'short' : 'compound';
}

function cutIntoWindows(start: CivilDate, maturity: CivilDate, every: number | null): Window[] {
  if (every === null) return [{ fromMonth: 0, from: start, to: maturity }];
  const windows: Window[] = [];
  let from = start;
  for (let fromMonth = 0; compareCivilDates(from, maturity) < 0; fromMonth += every) {
    const next = addMonths(start, fromMonth + every);
    const to = compareCivilDates(next, maturity) < 0 ? next : maturity;
    windows.push({ fromMonth, from, to });
    from = to;
  }
  return windows;
}

/**
 * Interest of a window: complete rests compound, the remaining part earns simple interest.
 * @throws RangeError when the window does not end after its start
 */
export function windowInterest(window: Window, rule: PayoutRule): WindowInterest {
  const { rate, plan, switches } = rule;
  if (compareCivilDates(window.from, window.to) >= 0)
    throw new RangeError('a window must end after it starts');
  const monthsInside = completeMonths(plan.start, window.to) - window.fromMonth;
  const unitMonths = plan.unitMonths ?? 0;
  const restCount = unitMonths === 0 ? 0 : Math.floor(monthsInside / unitMonths);
  const rests = Array.from({ length: restCount }, (_, index) =>
    restYears(rule, unitMonths, window.fromMonth + index * unitMonths),
  );
  const [firstRest = Ratio.ZERO] = rests;
  const restGrowth =
    switches.fullPeriods === 'nominal'
      ? growthOf(rate, firstRest).power(restCount)
      : rests.reduce((growth, years) => growth.times(growthOf(rate, years)), Ratio.ONE);
  const broken = brokenPart(rule, window.fromMonth + restCount * unitMonths, window.to);
  return {
    window,
    rests,
    broken,
    restGrowth,
    growth: broken.years.isZero() ? restGrowth : restGrowth.times(growthOf(rate, broken.years)),
    years: rests.reduce((sum, years) => sum.plus(years), broken.years),
  };
}

function growthOf(rate: Ratio, years: Ratio): Ratio {
  return rate.times(years).plus(Ratio.ONE);
}

function restYears({ plan, switches }: PayoutRule, unitMonths: number, fromMonth: number): Ratio {
  if (switches.fullPeriods === 'nominal') return Ratio.of(unitMonths, 12);
  const [from, to] = [addMonths(plan.start, fromMonth), addMonths(plan.start, fromMonth + unitMonths)];
  return yearFraction(switches.dayCount, from, to);
}

function brokenPart(rule: PayoutRule, fromMonth: number, to: CivilDate): BrokenPart {
  const { plan, switches } = rule;
  const from = addMonths(plan.start, fromMonth);
  // most windows of a deposit with payouts end with a rest
  if (compareCivilDates(from, to) === 0)
    return { from, months: 0, days: 0, years: Ratio.ZERO, isCapped: false };
  const months = switches.brokenRule === 'months-days' ? completeMonths(plan.start, to) - fromMonth : 0;
  const afterMonths = addMonths(plan.start, fromMonth + months);
  const counted = Ratio.of(months, 12).plus(yearFraction(switches.dayCount, afterMonths, to));
  const hasCap = plan.kind === 'compound' && plan.unitMonths !== null;
  const cap = hasCap ? restYears(rule, plan.unitMonths, fromMonth) : counted;
  const isCapped = counted.compare(cap) > 0;
  return { from, months, days: daysBetween(afterMonths, to), years: isCapped ? cap : counted, isCapped };
}

/**
 * Unrounded interest of a window per rupee of principal. Only complete windows shorter than the rest are discounted: without
 * compounding there is no rest to discount, and an incomplete window is paid by days.
 */
export function payoutInterest(interest: WindowInterest, { rate, plan, switches }: PayoutRule): Ratio {
  const { restMonths, payoutMonths } = plan;
  const isDiscountable = restMonths !== null && payoutMonths !== null && payoutMonths < restMonths;
  if (switches.payoutBasis === 'discounted' && isDiscountable && interest.rests.length === 1) {
    return discountedPayout(rate, restMonths, payoutMonths);
  }
  return interest.growth.minus(Ratio.ONE);
}

/**
 * Interest of a complete payout period per rupee. The payouts of a rest, reinvested at the card rate until its end, equal the
 * interest of the rest.
 */
export function discountedPayout(rate: Ratio, restMonths: number, payoutMonths: number): Ratio {
  const payoutsPerRest = restMonths / payoutMonths;
  const growth = growthOf(rate, Ratio.of(payoutMonths, 12));
  let annuity = Ratio.ZERO;
  for (let payout = 0; payout < payoutsPerRest; payout += 1) annuity = annuity.times(growth).plus(Ratio.ONE);
  return rate.times(Ratio.of(restMonths, 12)).dividedBy(annuity);
}
