import type { Paise } from '@fd/contracts';
import {
  type ListedIssuer,
  isOnSale,
  type WithdrawalTerm,
  type WithdrawalTerms,
} from '../catalogue/catalogue.js';
import {
  addDays,
  addMonths,
  type CivilDate,
  compareCivilDates,
  daysBetween,
  formatCivilDate,
} from '../dates/civil-date.js';
import { quoteDeposit } from '../maths/maturity.js';
import { formatExactDecimal, parseDecimal, Ratio } from '../maths/ratio.js';
import {
  effectiveRate,
  matchProduct,
  type ProductQuery,
  type ProductQuote,
} from '../quotes/product-quote.js';

/** A deposit for which the value at early withdrawal is computed. */
export interface HeldDeposit {
  readonly issuer: ListedIssuer;
  readonly query: ProductQuery;
  readonly product: ProductQuote;
  /** The instant of its start. */
  readonly at: Date;
}

interface DatedStep {
  readonly from: CivilDate;
  readonly term: WithdrawalTerm;
}

interface EarlyPayment {
  readonly heldDays: number;
  readonly date: CivilDate;
  readonly rate: string;
  readonly interest: Paise;
  readonly paidBefore: Paise;
  readonly amount: Paise;
}

/** The issuer's terms for a deposit that begins on a day; null when they are unknown. */
export function withdrawalTermsOn(
  { prematureWithdrawal }: ListedIssuer,
  day: CivilDate,
): WithdrawalTerms | null {
  return prematureWithdrawal && prematureWithdrawal.effectiveFrom <= formatCivilDate(day)
    ? prematureWithdrawal
    : null;
}

/** The steps before the maturity of a deposit by first day; none during the lock-in. */
export function stepsOf({ steps }: WithdrawalTerms, { product }: HeldDeposit): DatedStep[] {
  const { startDate, maturityDateIst } = product.dates;
  if (!product.vehicle.hasEarlyWithdrawal) return [];
  const unlocked = addDays(startDate, Number(product.vehicle.lockInPeriod));
  const dated = steps
    .map((term) => ({ term, from: later(heldUntil(startDate, term.held), unlocked) }))
    .filter(({ from }) => compareCivilDates(from, maturityDateIst) < 0);
  // of two steps that begin at the end of the lock-in, the later one applies
  return dated.filter(({ from }, index) => {
    const next = dated[index + 1];
    return !next || compareCivilDates(next.from, from) > 0;
  });
}

function heldUntil(start: CivilDate, held: string): CivilDate {
  const [count, unit] = held.split(' ');
  return unit === 'months' ? addMonths(start, Number(count)) : addDays(start, Number(count));
}

const later = (a: CivilDate, b: CivilDate): CivilDate => (compareCivilDates(a, b) < 0 ? b : a);

/** The value of the deposit on some days: the first day of each step, half of the tenure, and the day before maturity. */
export function earlyPayments(steps: readonly DatedStep[], deposit: HeldDeposit): EarlyPayment[] {
  const { startDate } = deposit.product.dates;
  const { tenureDays } = deposit.query;
  const days = [
    ...steps.map(({ from }) => daysBetween(startDate, from)),
    Math.floor(tenureDays / 2),
    tenureDays - 1,
  ];
  return [...new Set(days)]
    .sort((a, b) => a - b)
    .flatMap((held) => {
      const step = steps.findLast(({ from }) => daysBetween(startDate, from) <= held);
      return step && held > 0 ? [paymentAfter(held, step.term, deposit)] : [];
    });
}

function paymentAfter(heldDays: number, term: WithdrawalTerm, deposit: HeldDeposit): EarlyPayment {
  const { product, query, issuer } = deposit;
  const date = addDays(product.dates.startDate, heldDays);
  const rate = rateAfter(heldDays, term, deposit);
  const interest = quoteDeposit({
    ...product.quote.figures.input,
    annualRatePercent: rate,
    tenureDays: heldDays,
    compounding: issuer.compounding,
  }).figures.totalInterestPaise;
  const day = formatCivilDate(date);
  const isCumulative = query.payoutFrequency === 'Maturity';
  const paidBefore = isCumulative
    ? 0n
    : product.quote.figures.rows.reduce((sum, row) => (row.date <= day ? sum + row.paise : sum), 0n);
  const amount = product.quote.figures.principalPaise + interest - paidBefore;
  return { heldDays, date, rate, interest, paidBefore, amount };
}

/** Per cent a year for the time held: the agreed rate or that of a deposit of this time, whichever is lower, less the penalty. */
function rateAfter(heldDays: number, term: WithdrawalTerm, deposit: HeldDeposit): string {
  if (term.penalty === null) return '0';
  const { issuer, query, product, at } = deposit;
  const agreed = parseDecimal(product.rate.total, 'agreed rate');
  const { vehicle } = matchProduct(issuer, { ...query, tenureDays: heldDays }, at);
  if (vehicle) {
    const forTime = parseDecimal(effectiveRate(vehicle.rate, issuer, query).total, 'rate for the time held');
    return less(forTime.compare(agreed) < 0 ? forTime : agreed, term.penalty);
  }
  return less(lowestRate(deposit) ?? agreed, term.penaltyWithoutRate ?? term.penalty);
}

function lowestRate({ issuer, at }: HeldDeposit): Ratio | undefined {
  const rates = issuer.vehicles
    .filter((vehicle) => vehicle.isVisible && isOnSale(vehicle, at))
    .map(({ rate }) => parseDecimal(rate, 'rate'));
  return rates.sort((a, b) => a.compare(b))[0];
}

function less(rate: Ratio, penalty: string): string {
  const left = rate.minus(parseDecimal(penalty, 'penalty'));
  return left.compare(Ratio.ZERO) < 0 ? '0' : formatExactDecimal(left);
}
