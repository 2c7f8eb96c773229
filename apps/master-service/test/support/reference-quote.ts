import { Fraction } from 'fraction.js';
import type { DepositInput } from '../../src/maths/maturity.js';

/** The reference's result for a deposit. */
interface ReferenceQuote {
  /** Date and unrounded rupees of each row. */
  readonly rows: { date: string; rupees: Fraction }[];
  readonly years: Fraction;
}

const MONTHS: Readonly<Record<string, number>> = { Monthly: 1, Quarterly: 3, HalfYearly: 6, Yearly: 12 };
const DAY = 86_400_000;
const ONE = new Fraction(1);

/**
 * A second, literal implementation of the calculation convention: dates as numbers of days, rests found by trial, every fraction
 * reduced by fraction.js. Slow; only for specs.
 */
export function referenceQuote(input: DepositInput): ReferenceQuote {
  const { dayCount = 'ACT/365', fullPeriods = 'nominal' } = input.switches ?? {};
  const { brokenRule = 'days', payoutBasis = 'card' } = input.switches ?? {};
  const { year, month, day } = input.startDate;
  const start = Date.UTC(year, month - 1, day) / DAY;
  const end = start + input.tenureDays;
  const principal = new Fraction(String(input.principalPaise)).div(100);
  const r = new Fraction(input.annualRatePercent).div(100);

  const step = (months: number) => {
    const lastDay = new Date(Date.UTC(year, month + months, 0)).getUTCDate();
    return Date.UTC(year, month - 1 + months, Math.min(day, lastDay)) / DAY;
  };
  const fraction = (from: number, to: number) => {
    let sum = new Fraction(0);
    if (dayCount === 'ACT/365') return new Fraction(to - from, 365);
    for (let at = from; at < to; at += 1) {
      const leap = new Date(Date.UTC(new Date(at * DAY).getUTCFullYear(), 1, 29)).getUTCMonth() === 1;
      sum = sum.add(1, leap ? 366 : 365);
    }
    return sum;
  };
  const restLength = (from: number, unit: number) =>
    fullPeriods === 'nominal' ? new Fraction(unit, 12) : fraction(step(from), step(from + unit));

  const grow = (fromMonth: number, to: number, unit: number | null, isCapped: boolean) => {
    let at = fromMonth;
    let growth = ONE;
    let years = new Fraction(0);
    while (unit !== null && step(at + unit) <= to) {
      growth = growth.mul(ONE.add(r.mul(restLength(at, unit))));
      years = years.add(restLength(at, unit));
      at += unit;
    }
    let months = 0;
    while (brokenRule === 'months-days' && step(at + months + 1) <= to) months += 1;
    let broken = new Fraction(months, 12).add(fraction(step(at + months), to));
    if (isCapped && unit !== null && broken.gt(restLength(at, unit))) broken = restLength(at, unit);
    return { growth: growth.mul(ONE.add(r.mul(broken))), years: years.add(broken) };
  };

  const c = MONTHS[input.compounding];
  const s = MONTHS[input.payoutFrequency];
  const isFlat = c === undefined || (c < 6 && end < step(6));
  const textOf = (date: number) => new Date(date * DAY).toISOString().slice(0, 10);

  if (s === undefined) {
    const { growth, years } = grow(0, end, isFlat ? null : c, true);
    return { rows: [{ date: textOf(end), rupees: principal.mul(growth.sub(1)) }], years };
  }
  const rows: ReferenceQuote['rows'] = [];
  let years = new Fraction(0);
  for (let k = 0; step(k) < end; k += s) {
    const to = Math.min(step(k + s), end);
    const window = grow(k, to, isFlat ? s : Math.min(c, s), !isFlat);
    let earned = window.growth.sub(1);
    if (payoutBasis === 'discounted' && !isFlat && s < c && to === step(k + s)) {
      const q = ONE.add(r.mul(s, 12));
      const terms = Array.from({ length: c / s }, (_, power) => q.pow(power));
      earned = r.mul(c, 12).div(terms.reduce((sum, term) => sum.add(term)));
    }
    rows.push({ date: textOf(to), rupees: principal.mul(earned) });
    years = years.add(window.years);
  }
  return { rows, years };
}
