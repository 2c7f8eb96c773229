import type { PayoutFrequency } from '@fd/contracts';
import { PAYOUT_MONTHS, REST_MONTHS } from '../../maths/convention.js';
import type { Issuer, Vehicle } from '../catalogue.js';
import type { FineractProduct } from './fineract-products.js';

/** Months of their periods of compounding and posting, by the last word of the code. */
const PERIODS: Readonly<Record<string, number>> = { monthly: 1, quarterly: 3, biannual: 6, annual: 12 };

/** Values of their days in a year, by the day count of the catalogue. */
const DAYS_IN_YEAR = { 'ACT/365': 365, 'ACT/ACT': 1 } as const;

/**
 * Compares how interest grows and is paid, and what early withdrawal costs. Products with equal rates differ in their amounts
 * without this.
 * @param vehicles the issuer's vehicles of this frequency
 * @returns a line for each difference
 */
export function compareTerms(
  issuer: Issuer,
  product: FineractProduct,
  frequency: PayoutFrequency,
  vehicles: readonly Vehicle[],
): string[] {
  const canEnd = vehicles.some(({ hasEarlyWithdrawal }) => hasEarlyWithdrawal);
  return [
    ...compareInterest(issuer, product, frequency),
    ...(canEnd ? compareEarlyWithdrawal(issuer, product) : []),
  ];
}

function compareInterest(
  { compounding, quoteSwitches }: Issuer,
  product: FineractProduct,
  frequency: PayoutFrequency,
): string[] {
  const lines: string[] = [];
  const [rest, payout] = [REST_MONTHS[compounding], PAYOUT_MONTHS[frequency]];
  // interest that is paid out before the rest ends cannot compound
  const ours = rest === null || payout === null ? rest : Math.min(rest, payout);
  const theirs = lastWord(product.interestCompoundingPeriodType.code);
  if (ours === null || PERIODS[theirs] !== ours)
    lines.push(`interest compounds ${theirs} in Fineract, ${everyMonths(ours)} in the catalogue`);
  const posted = lastWord(product.interestPostingPeriodType.code);
  if (payout !== null && PERIODS[posted] !== payout)
    lines.push(`interest is posted ${posted} in Fineract, and paid ${everyMonths(payout)} in the catalogue`);
  const days = product.interestCalculationDaysInYearType.id;
  if (days !== DAYS_IN_YEAR[quoteSwitches.dayCount])
    lines.push(
      `a year has ${days === 1 ? 'its actual' : days} days in Fineract, ${quoteSwitches.dayCount} in the catalogue`,
    );
  return lines;
}

const everyMonths = (months: number | null): string =>
  months === null ? 'never' : months === 1 ? 'every month' : `every ${months} months`;

/** Fineract has one penalty for all times. */
function compareEarlyWithdrawal({ prematureWithdrawal }: Issuer, product: FineractProduct): string[] {
  const theirs = product.preClosurePenalApplicable ? product.preClosurePenalInterest : 0;
  if (!prematureWithdrawal)
    return [`early withdrawal costs ${theirs} per cent in Fineract, and is unknown to the catalogue`];
  const lines = prematureWithdrawal.steps
    .filter(({ penalty }) => penalty === null || Number(penalty) !== theirs)
    .map(({ held, penalty }) => {
      const ours = penalty === null ? 'all interest' : `${penalty} per cent`;
      return `early withdrawal after ${held} costs ${theirs} per cent in Fineract, ${ours} in the catalogue`;
    });
  const isOfWholeTerm = product.preClosurePenalInterestOnType?.code.endsWith('.wholeTerm') ?? false;
  if (theirs > 0 && isOfWholeTerm)
    lines.push(
      'early withdrawal earns the rate of the whole term in Fineract, the lower one in the catalogue',
    );
  return lines;
}

const lastWord = (code: string): string => code.slice(code.lastIndexOf('.') + 1);
