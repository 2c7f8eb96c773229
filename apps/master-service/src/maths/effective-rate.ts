import { formatExactDecimal, parseDecimal, Ratio } from './ratio.js';

/** The rate of a vehicle and the benefits on it, all per cent a year as decimal text. */
export interface RateInput {
  /** The rate printed for the vehicle and its own payout frequency. */
  readonly cardRatePercent: string;
  readonly seniorCitizenBenefit: string;
  readonly womenBenefit: string;
  readonly isSeniorCitizen: boolean;
  readonly isWoman: boolean;
}

/** What a depositor's rate is made of, per cent a year; a benefit that does not apply is "0". */
export interface RateComposition {
  readonly base: string;
  readonly senior: string;
  readonly women: string;
  readonly total: string;
}

/** Adds the benefits that apply: both, for a woman who is a senior citizen. RangeError on a bad decimal. */
export function effectiveRate(input: RateInput): RateComposition {
  const base = parseDecimal(input.cardRatePercent, 'card rate');
  // read even when unused: a bad value in the catalogue must not wait for the first senior citizen
  const seniorBenefit = parseDecimal(input.seniorCitizenBenefit, 'senior citizen benefit');
  const womenBenefit = parseDecimal(input.womenBenefit, 'women benefit');
  const senior = input.isSeniorCitizen ? seniorBenefit : Ratio.ZERO;
  const women = input.isWoman ? womenBenefit : Ratio.ZERO;
  return {
    base: formatExactDecimal(base),
    senior: formatExactDecimal(senior),
    women: formatExactDecimal(women),
    total: formatExactDecimal(base.plus(senior).plus(women)),
  };
}
