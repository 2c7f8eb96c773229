import { type Compounding, formatRupees, type Paise, type PayoutFrequency, toRupees } from '@fd/contracts';
import { addDays, type CivilDate, civilDate, formatCivilDate, utcDateOf } from '../dates/civil-date.js';
import { indiaDateOf } from '../dates/india-time.js';
import { checkTenure, type QuoteSwitches, resolveSwitches } from './convention.js';
import {
  payoutInterest,
  type PayoutRule,
  planPayouts,
  type Window,
  windowInterest,
  type WindowInterest,
} from './payouts.js';
import { formatExactDecimal, parseDecimal, Ratio, roundToPaise, roundToUnits } from './ratio.js';

export interface MaturityDates {
  /** Date in India of the request: the first day of interest. */
  readonly startDate: CivilDate;
  /** Start date plus tenure: the authoritative date of maturity. */
  readonly maturityDateIst: CivilDate;
  /** Date in UTC of the request plus tenure times 24 hours: one day earlier before 05:30 in India. */
  readonly maturityDate: CivilDate;
}

/** Returns the dates of a deposit. @throws RangeError unless all are dates of the calendar */
export function maturityDates(requestInstant: Date, tenureDays: number): MaturityDates {
  const startDate = indiaDateOf(requestInstant);
  return {
    startDate,
    maturityDateIst: addDays(startDate, tenureDays),
    maturityDate: addDays(utcDateOf(requestInstant.getTime()), tenureDays),
  };
}

/** Inputs of a quote. The caller checks that the product sells such a deposit. */
export interface DepositInput {
  readonly principalPaise: Paise;
  /** Per cent a year as decimal text, including benefits. */
  readonly annualRatePercent: string;
  readonly tenureDays: number;
  readonly startDate: CivilDate;
  readonly compounding: Compounding;
  readonly payoutFrequency: PayoutFrequency;
  readonly switches?: Partial<QuoteSwitches>;
}

export interface PayoutYear {
  readonly year: number;
  readonly data: { date: string; amount: number }[];
}

export interface PayoutRow {
  readonly date: string;
  readonly paise: Paise;
  /** Unrounded interest per rupee of principal. */
  readonly interestPerRupee: Ratio;
  readonly interest: WindowInterest;
}

/** The exact figures of a quote, for its explanation. */
export interface QuoteFigures extends PayoutRule {
  readonly input: DepositInput;
  readonly principalPaise: Paise;
  readonly rows: readonly PayoutRow[];
  readonly totalInterestPaise: Paise;
  /** Sum of the unrounded rows. */
  readonly interestPerRupee: Ratio;
  /** Year fraction of the deposit. */
  readonly years: Ratio;
}

const HUNDRED = Ratio.of(100);

export interface DepositQuote {
  /** Rate applied, per cent a year, without trailing zeros. */
  readonly productInterest: string;
  /** Simple annual yield on the principal, per cent with two decimals. */
  readonly averageYield: string;
  readonly startDate: string;
  readonly maturityDateIst: string;
  /** Amount at maturity: the principal, plus the interest if none was paid out before. */
  readonly maturityAmountPaise: Paise;
  /** Interest only, without the principal. */
  readonly payout: PayoutYear[];
  readonly figures: QuoteFigures;
}

/**
 * Quotes a deposit by the calculation convention: exact fractions, rounded once for each row.
 * @throws RangeError for an input outside of the convention
 */
export function quoteDeposit(input: DepositInput): DepositQuote {
  const figures = figuresOf(input);
  const { totalInterestPaise, rows, plan } = figures;
  const isCumulative = plan.payoutMonths === null;
  return {
    productInterest: formatExactDecimal(figures.rate.times(HUNDRED)),
    averageYield: yieldOf(figures),
    startDate: formatCivilDate(input.startDate),
    maturityDateIst: formatCivilDate(addDays(input.startDate, input.tenureDays)),
    maturityAmountPaise: input.principalPaise + (isCumulative ? totalInterestPaise : 0n),
    payout: groupByYear(rows),
    figures,
  };
}

function figuresOf(input: DepositInput): QuoteFigures {
  const { tenureDays, compounding, payoutFrequency } = input;
  const start = checkInput(input);
  const rule: PayoutRule = {
    rate: parseDecimal(input.annualRatePercent, 'annual rate').dividedBy(HUNDRED),
    switches: resolveSwitches(input.switches),
    plan: planPayouts(start, tenureDays, compounding, payoutFrequency),
  };
  const rows = rowsOf(rule, Ratio.of(input.principalPaise, 100));
  return {
    ...rule,
    input,
    principalPaise: input.principalPaise,
    rows,
    totalInterestPaise: rows.reduce((sum, row) => sum + row.paise, 0n),
    interestPerRupee: rows.reduce((sum, row) => sum.plus(row.interestPerRupee), Ratio.ZERO),
    years: rows.reduce((sum, row) => sum.plus(row.interest.years), Ratio.ZERO),
  };
}

function rowsOf(rule: PayoutRule, principal: Ratio): PayoutRow[] {
  const rows: PayoutRow[] = [];
  for (const [index, window] of rule.plan.windows.entries()) {
    const [first] = rows;
    const isComplete = index < rule.plan.windows.length - 1;
    const isLikeFirst = isComplete && rule.switches.fullPeriods === 'nominal';
    rows.push(first && isLikeFirst ? sameRow(first, window) : rowOf(window, rule, principal));
  }
  return rows;
}

function rowOf(window: Window, rule: PayoutRule, principal: Ratio): PayoutRow {
  const interest = windowInterest(window, rule);
  const interestPerRupee = payoutInterest(interest, rule);
  const paise = roundToPaise(interestPerRupee.times(principal), rule.switches);
  return { date: formatCivilDate(window.to), paise, interestPerRupee, interest };
}

/** The row of another complete window: nominal periods earn the same interest, so it is computed once. */
function sameRow(row: PayoutRow, window: Window): PayoutRow {
  const broken = { ...row.interest.broken, from: window.to };
  return { ...row, date: formatCivilDate(window.to), interest: { ...row.interest, window, broken } };
}

function checkInput(input: DepositInput): CivilDate {
  checkTenure(input.tenureDays);
  if (input.principalPaise <= 0n) throw new RangeError('principal must be at least one paisa');
  const { year, month, day } = input.startDate;
  return civilDate(year, month, day);
}

/** Returns the simple annual yield in per cent, from the unrounded interest, rounded half-up. */
function yieldOf({ interestPerRupee, years }: QuoteFigures): string {
  // hundredths of a per cent have two decimals, like paise
  return formatRupees(roundToUnits(interestPerRupee.times(HUNDRED).dividedBy(years), 2, 'half-up'));
}

function groupByYear(rows: readonly PayoutRow[]): PayoutYear[] {
  const years: PayoutYear[] = [];
  for (const { date, paise, interest } of rows) {
    const { year } = interest.window.to;
    if (years.at(-1)?.year !== year) years.push({ year, data: [] });
    years.at(-1)?.data.push({ date, amount: toRupees(paise) });
  }
  return years;
}
