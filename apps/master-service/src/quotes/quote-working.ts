import {
  type Compounding,
  formatRupees,
  type MaturityQuote,
  type Paise,
  type PayoutFrequency,
} from '@fd/contracts';
import { type CivilDate, formatCivilDate } from '../dates/civil-date.js';
import type { QuoteSwitches } from '../maths/convention.js';
import type { DepositQuote, PayoutRow, QuoteFigures } from '../maths/maturity.js';
import type { BrokenPart, WindowInterest } from '../maths/payouts.js';
import { expandDecimal, Ratio } from '../maths/ratio.js';
import type { RateComposition } from './product-quote.js';

const REST_NAMES: Readonly<Record<Compounding, string>> = {
  Monthly: 'monthly rests',
  Quarterly: 'quarterly rests',
  HalfYearly: 'half-yearly rests',
  Yearly: 'yearly rests',
  Simple: 'no rests',
};

const PAYOUT_NAMES: Readonly<Record<PayoutFrequency, string>> = {
  Maturity: 'all interest at maturity',
  Monthly: 'interest paid monthly',
  Quarterly: 'interest paid quarterly',
  HalfYearly: 'interest paid half-yearly',
  Yearly: 'interest paid yearly',
};

const MODE_NAMES: Readonly<Record<QuoteSwitches['rounding'], string>> = {
  'half-up': 'half-up',
  floor: 'down',
  ceil: 'up',
  'half-even': 'half to even',
};

/** Explains a quote for a depositor who wants to check it by hand: a step with its figures in each line. */
export function quoteWorking(
  { figures, ...quote }: DepositQuote,
  rate: RateComposition,
): Pick<MaturityQuote, 'compounding_rule' | 'day_count' | 'rounding' | 'working'> {
  const compoundingRule = compoundingRuleOf(figures);
  const dayCount = dayCountOf(figures);
  const rounding = roundingOf(figures.switches);
  const working = [
    rateLine(rate),
    `Principal: ${indianRupees(figures.principalPaise)} rupees from ${quote.startDate} (included) to ${quote.maturityDateIst} (not included), ${counted(figures.input.tenureDays, 'day')}`,
    `Rule: ${compoundingRule}; ${dayCount}; rounded ${rounding}`,
    ...groupRows(figures.rows).flatMap((group) => groupLines(group, figures)),
    ...totalLines(figures, quote.averageYield),
  ];
  return { compounding_rule: compoundingRule, day_count: dayCount, rounding, working };
}

/** How interest accrues in this deposit, as a sentence without a full stop. */
function compoundingRuleOf({ input, plan, switches }: QuoteFigures): string {
  const paid = PAYOUT_NAMES[input.payoutFrequency];
  if (plan.kind === 'simple') return `Simple interest, ${paid}`;
  if (plan.kind === 'short')
    return `Simple interest (${REST_NAMES[input.compounding]}, but under 6 months), ${paid}`;
  const isDiscounted =
    switches.payoutBasis === 'discounted' &&
    plan.restMonths !== null &&
    plan.payoutMonths !== null &&
    plan.payoutMonths < plan.restMonths;
  const basis = isDiscounted ? ' at its discounted value' : '';
  return `Compound interest with ${REST_NAMES[input.compounding]} counted from the start date, ${paid}${basis}`;
}

function dayCountOf({ switches, plan }: QuoteFigures): string {
  const { dayCount, fullPeriods, brokenRule } = switches;
  const days =
    dayCount === 'ACT/365'
      ? 'days over 365, in leap years too'
      : 'days of leap years over 366 and other days over 365';
  const hasNominalPeriods = plan.unitMonths !== null && fullPeriods === 'nominal';
  const parts = [
    ...(hasNominalPeriods ? ['complete periods as months over 12'] : []),
    ...(brokenRule === 'months-days' ? ['whole months of the broken part over 12'] : []),
  ];
  return parts.length === 0
    ? `${dayCount}, ${days}`
    : `${dayCount}, ${parts.join(', ')}, the rest in ${days}`;
}

function roundingOf({ places, rounding }: Pick<QuoteSwitches, 'places' | 'rounding'>): string {
  return `${MODE_NAMES[rounding]} to the ${places === 2 ? 'paisa' : 'rupee'}, once for each payout`;
}

function rateLine(rate: RateComposition): string {
  const parts = [`${rate.base} % of the product`];
  if (rate.senior !== '0') parts.push(`${rate.senior} % senior citizen benefit`);
  if (rate.women !== '0') parts.push(`${rate.women} % women benefit`);
  return `Rate: ${parts.join(' + ')} = ${rate.total} % a year`;
}

/** Consecutive rows of equal arithmetic, explained once. */
function groupRows(rows: readonly PayoutRow[]): [PayoutRow, ...PayoutRow[]][] {
  const groups: [PayoutRow, ...PayoutRow[]][] = [];
  for (const row of rows) {
    const group = groups.at(-1);
    if (group && isSameArithmetic(group[0], row)) group.push(row);
    else groups.push([row]);
  }
  return groups;
}

function isSameArithmetic(a: PayoutRow, b: PayoutRow): boolean {
  return (
    a.interestPerRupee.equals(b.interestPerRupee) &&
    a.interest.rests.length === b.interest.rests.length &&
    a.interest.broken.years.isZero() === b.interest.broken.years.isZero()
  );
}

function groupLines(group: readonly [PayoutRow, ...PayoutRow[]], figures: QuoteFigures): string[] {
  const [first] = group;
  const { length: count } = group;
  const number = figures.rows.indexOf(first) + 1;
  const isCumulative = figures.plan.payoutMonths === null;
  const span = spanText(first.interest.window.from, group.at(-1)!.interest.window.to);
  const title = count === 1 ? `Payout ${number}` : `Payouts ${number} to ${number + count - 1}`;
  const heading = `${title}, ${span}${count > 1 ? `, ${count} equal periods` : ''}:`;
  const { formula, steps } = isDiscounted(first, figures)
    ? { formula: discountedFormula(figures), steps: [] }
    : growthSteps(first.interest, figures, count === 1);
  const principal = indianRupees(figures.principalPaise);
  const exact = first.interestPerRupee.times(Ratio.of(figures.principalPaise, 100));
  return [
    ...(isCumulative ? [] : [heading]),
    ...steps,
    `Interest${count > 1 ? ' of each' : ''}: ${principal} x ${formula} = ${expandDecimal(exact, 6)}, rounded ${indianRupees(first.paise)}`,
  ];
}

function isDiscounted({ interest, interestPerRupee }: PayoutRow, { switches }: QuoteFigures): boolean {
  return switches.payoutBasis === 'discounted' && !interestPerRupee.equals(interest.growth.minus(Ratio.ONE));
}

function discountedFormula({ rate, plan }: QuoteFigures): string {
  const yearly = percent(rate);
  const payouts = (plan.restMonths ?? 0) / (plan.payoutMonths ?? 1);
  const powers = Array.from({ length: payouts }, (_, power) => ['1', 'q'][power] ?? `q^${power}`);
  return `(${yearly} x ${plan.restMonths}/12) / (${powers.join(' + ')}) with q = 1 + ${yearly} x ${plan.payoutMonths}/12`;
}

/** The factor of the principal in a window, and the lines that explain it. */
function growthSteps(
  interest: WindowInterest,
  figures: QuoteFigures,
  isDated: boolean,
): { formula: string; steps: string[] } {
  const { rests, broken, restGrowth } = interest;
  const rate = percent(figures.rate);
  const hasBrokenPart = !broken.years.isZero();
  const [onlyRest] = rests;
  if (!onlyRest) {
    return { formula: `${rate} x ${brokenYears(broken, figures)}`, steps: [brokenLine(interest, figures)] };
  }
  if (rests.length === 1 && !hasBrokenPart) {
    return { formula: `${rate} x ${restYearsText(onlyRest, figures)}`, steps: [] };
  }
  const steps = [restLine(interest, figures, isDated)];
  if (!hasBrokenPart) return { formula: `(${expandDecimal(restGrowth)} - 1)`, steps };
  const brokenGrowth = `(1 + ${rate} x ${brokenYears(broken, figures)})`;
  steps.push(brokenLine(interest, figures));
  return { formula: `(${expandDecimal(restGrowth)} x ${brokenGrowth} - 1)`, steps };
}

function restLine(interest: WindowInterest, figures: QuoteFigures, isDated: boolean): string {
  const { window, rests, broken, restGrowth } = interest;
  const dates = isDated ? ` ${spanText(window.from, broken.from)}` : '';
  const title = `${counted(rests.length, 'complete period')} of ${counted(figures.plan.unitMonths ?? 0, 'month')}${dates}`;
  const factors = rests.map((years) => `(1 + ${percent(figures.rate)} x ${restYearsText(years, figures)})`);
  const product =
    figures.switches.fullPeriods === 'nominal' && rests.length > 1
      ? `${factors[0]}^${rests.length}`
      : factors.join(' x ');
  return `${title}: growth ${product} = ${expandDecimal(restGrowth)}`;
}

function restYearsText(years: Ratio, { plan, switches }: QuoteFigures): string {
  return switches.fullPeriods === 'nominal' ? `${plan.unitMonths}/12` : expandDecimal(years, 8);
}

function brokenLine({ broken, window }: WindowInterest, figures: QuoteFigures): string {
  const name = figures.plan.kind === 'compound' ? 'Broken part' : 'Simple interest';
  const { months, days } = broken;
  const length = [months > 0 ? counted(months, 'month') : '', days > 0 ? counted(days, 'day') : ''];
  const limit = broken.isCapped ? ', limited to a complete period' : '';
  const years = brokenYears(broken, figures);
  return `${name} ${spanText(broken.from, window.to)}: ${length.filter(Boolean).join(' and ')}${limit} = ${years} years`;
}

function brokenYears({ months, days, years, isCapped }: BrokenPart, { switches }: QuoteFigures): string {
  if (isCapped || switches.dayCount !== 'ACT/365') return expandDecimal(years);
  if (months === 0) return `${days}/365`;
  return days === 0 ? `${months}/12` : `(${months}/12 + ${days}/365)`;
}

function totalLines(figures: QuoteFigures, averageYield: string): string[] {
  const { plan, rows, principalPaise, totalInterestPaise, interestPerRupee, years } = figures;
  const total = indianRupees(totalInterestPaise);
  const principal = indianRupees(principalPaise);
  const sum = `Total interest: sum of ${counted(rows.length, 'rounded payout')} = ${total}`;
  return [
    ...(plan.payoutMonths === null
      ? [`Maturity amount: ${principal} + ${total} = ${indianRupees(principalPaise + totalInterestPaise)}`]
      : [sum, `Maturity amount: the principal, ${principal}; the interest has been paid out`]),
    `Average yield: unrounded interest of ${percent(interestPerRupee)} of the principal / ${expandDecimal(years)} years = ${averageYield} % a year`,
  ];
}

function spanText(from: CivilDate, to: CivilDate): string {
  return `${formatCivilDate(from)} to ${formatCivilDate(to)}`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function percent(fraction: Ratio): string {
  return `${expandDecimal(fraction.times(Ratio.of(100)), 8)} %`;
}

/** 1,00,000.00: Indian grouping. */
function indianRupees(paise: Paise): string {
  const [rupees, rest] = formatRupees(paise).split('.');
  return `${BigInt(rupees!).toLocaleString('en-IN')}.${rest}`;
}
