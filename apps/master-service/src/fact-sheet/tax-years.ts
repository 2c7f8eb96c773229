import type { Paise } from '@fd/contracts';
import { type CivilDate, civilDate, compareCivilDates, parseCivilDate } from '../dates/civil-date.js';
import type { QuoteFigures } from '../maths/maturity.js';
import { payoutInterest, windowInterest } from '../maths/payouts.js';
import { Ratio, roundToPaise } from '../maths/ratio.js';

/** A tax year begins in April. */
const FIRST_MONTH = 4;

/** The first day of the tax year of a date. */
export function taxYearStart({ year, month }: CivilDate): CivilDate {
  return civilDate(month < FIRST_MONTH ? year - 1 : year, FIRST_MONTH, 1);
}

/** The tax year that begins on a 1 April: "2026-27". */
export function taxYearName({ year }: CivilDate): string {
  return `${year}-${String((year + 1) % 100).padStart(2, '0')}`;
}

export interface YearOfInterest {
  /** 1 April. */
  readonly start: CivilDate;
  readonly paise: Paise;
}

/**
 * The interest of a deposit by tax year. Interest is taxed when it is credited or paid, whichever is earlier: payouts count in
 * the year of payment, and interest paid at maturity as it accrues to each 31 March. The sum is the interest of the quote.
 */
export function interestByTaxYear(figures: QuoteFigures): YearOfInterest[] {
  return figures.plan.payoutMonths === null ? accruedByYear(figures) : paidByYear(figures);
}

function paidByYear({ rows }: QuoteFigures): YearOfInterest[] {
  const years: { start: CivilDate; paise: Paise }[] = [];
  for (const { date, paise } of rows) {
    const start = taxYearStart(parseCivilDate(date));
    const last = years.at(-1);
    if (last && compareCivilDates(last.start, start) === 0) last.paise += paise;
    else years.push({ start, paise });
  }
  return years;
}

function accruedByYear(figures: QuoteFigures): YearOfInterest[] {
  const { principalPaise, switches, totalInterestPaise, plan } = figures;
  const [window] = plan.windows;
  if (!window) return [];
  const principal = Ratio.of(principalPaise, 100);
  const years: YearOfInterest[] = [];
  let start = taxYearStart(window.from);
  let before = 0n;
  // the day of maturity earns no interest
  while (compareCivilDates(start, window.to) < 0) {
    const next = civilDate(start.year + 1, FIRST_MONTH, 1);
    const isLast = compareCivilDates(next, window.to) >= 0;
    const accrued = isLast
      ? totalInterestPaise
      : roundToPaise(
          payoutInterest(windowInterest({ ...window, to: next }, figures), figures).times(principal),
          switches,
        );
    years.push({ start, paise: accrued - before });
    before = accrued;
    start = next;
  }
  return years;
}
