import type { Compounding, PayoutFrequency } from '@fd/contracts';
import type { QuoteSwitches } from './convention.js';
import type { QuoteFigures } from './maturity.js';

const rests: Readonly<Record<Compounding, string>> = {
  Monthly: 'monthly rests',
  Quarterly: 'quarterly rests',
  HalfYearly: 'half-yearly rests',
  Yearly: 'yearly rests',
  Simple: 'no rests',
};

const payouts: Readonly<Record<PayoutFrequency, string>> = {
  Maturity: 'all interest at maturity',
  Monthly: 'interest paid monthly',
  Quarterly: 'interest paid quarterly',
  HalfYearly: 'interest paid half-yearly',
  Yearly: 'interest paid yearly',
};

const modes: Readonly<Record<QuoteSwitches['rounding'], string>> = {
  'half-up': 'half-up',
  floor: 'down',
  ceil: 'up',
  'half-even': 'half to even',
};

/** How interest grows in this deposit, in one sentence without a full stop. */
export function compoundingRuleName({ input, plan, switches }: QuoteFigures): string {
  const paid = payouts[input.payoutFrequency];
  if (plan.kind === 'simple') return `Simple interest, ${paid}`;
  if (plan.kind === 'short')
    return `Simple interest (${rests[input.compounding]}, but under 6 months), ${paid}`;
  const isDiscounted =
    switches.payoutBasis === 'discounted' &&
    plan.restMonths !== null &&
    plan.payoutMonths !== null &&
    plan.payoutMonths < plan.restMonths;
  const basis = isDiscounted ? ' at its discounted value' : '';
  return `Compound interest with ${rests[input.compounding]} counted from the start date, ${paid}${basis}`;
}

/** How time becomes years. */
export function dayCountName({ switches, plan }: QuoteFigures): string {
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

/** How amounts are rounded. */
export function roundingName({ places, rounding }: Pick<QuoteSwitches, 'places' | 'rounding'>): string {
  return `${modes[rounding]} to the ${places === 2 ? 'paisa' : 'rupee'}, once for each payout`;
}
