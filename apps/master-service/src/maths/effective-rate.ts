import { formatExactDecimal, parseDecimal, Ratio } from './ratio.js';

/** What a depositor's rate is made of, per cent a year; a benefit that does not apply is "0". */
export interface RateComposition {
  readonly base: string;
  readonly senior: string;
  readonly women: string;
  readonly total: string;
}

/**
 * Adds the benefits that apply: both, for a woman who is a senior citizen. RangeError on a bad decimal.
 * @param cardRate the rate printed for the vehicle and its own payout frequency; all per cent a year
 */
export function effectiveRate(
  cardRate: string,
  benefits: { readonly seniorBenefit: string; readonly womenBenefit: string },
  depositor: { readonly isSenior: boolean; readonly isWoman: boolean },
): RateComposition {
  const base = parseDecimal(cardRate, 'card rate');
  // read even when unused: a bad value in the catalogue must not wait for the first senior citizen
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
