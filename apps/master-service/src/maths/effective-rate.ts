import { formatExactDecimal, parseDecimal, Ratio } from './ratio.js';

/** The parts of a depositor's rate in per cent a year; a benefit that does not apply is "0". */
export interface RateComposition {
  readonly base: string;
  readonly senior: string;
  readonly women: string;
  readonly total: string;
}

/**
 * Adds the benefits: both for a woman who is a senior citizen.
 * @param cardRate the vehicle's printed rate; all rates are per cent a year
 * @throws RangeError for a malformed decimal
 */
export function effectiveRate(
  cardRate: string,
  benefits: { readonly seniorBenefit: string; readonly womenBenefit: string },
  depositor: { readonly isSenior: boolean; readonly isWoman: boolean },
): RateComposition {
  const base = parseDecimal(cardRate, 'card rate');
  // reads unused benefits too, so that a malformed value shows before the first senior citizen
  const seniorBenefit = parseDecimal(benefits.seniorBenefit, 'senior citizen benefit');
  const womenBenefit = parseDecimal(benefits.womenBenefit, 'women benefit');
  const senior = depositor.isSenior ? seniorBenefit : Ratio.ZERO;
  const women = depositor.isWoman ? womenBenefit : Ratio.ZERO;
  return {
    base: formatExactDecimal(base),
    senior: formatExactDecimal(senior),
    women: formatExactDecimal(women),
    total: formatExactDecimal(base.plus(senior).plus(women)),
  };
}
