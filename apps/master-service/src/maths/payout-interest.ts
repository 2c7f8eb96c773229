import type { QuoteSwitches } from './convention.js';
import type { PayoutPlan } from './payout-plan.js';
import { Ratio } from './ratio.js';
import type { WindowInterest } from './window-interest.js';

/**
 * What a complete payout period pays, per rupee, so that the payouts of one rest, reinvested at the card rate
 * until the rest ends, are worth the interest of that rest.
 */
export function discountedPayout(rate: Ratio, restMonths: number, payoutMonths: number): Ratio {
  const payoutsPerRest = restMonths / payoutMonths;
  const growth = rate.times(Ratio.of(payoutMonths, 12)).plus(Ratio.ONE);
  let annuity = Ratio.ZERO;
  for (let payout = 0; payout < payoutsPerRest; payout += 1) annuity = annuity.times(growth).plus(Ratio.ONE);
  return rate.times(Ratio.of(restMonths, 12)).dividedBy(annuity);
}

/**
 * Unrounded interest of a window per rupee of principal. Only complete windows shorter than the rest are
 * discounted: a deposit in which nothing compounds has no rest to discount, and a broken window is paid by days.
 */
export function payoutInterest(
  interest: WindowInterest,
  plan: PayoutPlan,
  rate: Ratio,
  basis: QuoteSwitches['payoutBasis'],
): Ratio {
  const { restMonths, payoutMonths } = plan;
  const isDiscountable = restMonths !== null && payoutMonths !== null && payoutMonths < restMonths;
  if (basis === 'discounted' && isDiscountable && interest.rests.length === 1) {
    return discountedPayout(rate, restMonths, payoutMonths);
  }
  return interest.growth.minus(Ratio.ONE);
}
