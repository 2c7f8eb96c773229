import { formatRupees, type MaturityQuote } from '@fd/contracts';
import { formatCivilDate } from '../dates/civil-date.js';
import { quoteWorking } from '../maths/working.js';
import type { ProductQuote } from './product-quote.js';

/** A quote with exactly the fields of the published interface. */
export function presentQuote({ vehicle, dates, quote }: ProductQuote): MaturityQuote {
  return {
    product_interest: quote.productInterest,
    average_yield: quote.averageYield,
    payout_frequency: vehicle.payoutFrequency,
    maturity_date: formatCivilDate(dates.maturityDate),
    maturity_date_ist: quote.maturityDateIst,
    f_investment_vehicle_id: vehicle.vehicleId,
    product_min_investment: vehicle.minInvestment,
    product_max_investment: vehicle.maxInvestment,
    product_min_tenure: vehicle.minTenure,
    product_max_tenure: vehicle.maxTenure,
    product_min_tenure_label: vehicle.tenureLabel,
    payout: quote.payout,
    maturity_amount: quote.maturityAmount.value,
  };
}

/** A quote with how it came about. */
export function presentExplainedQuote(product: ProductQuote): MaturityQuote {
  const { quote, rate } = product;
  const { compoundingRule, dayCount, rounding, lines } = quoteWorking(quote, rate);
  return {
    ...presentQuote(product),
    principal: Number(formatRupees(quote.figures.principalPaise)),
    interest_amount: quote.totalInterest.value,
    rate_applied: { base: rate.base, senior: rate.senior, women: rate.women },
    compounding_rule: compoundingRule,
    day_count: dayCount,
    rounding,
    working: lines,
  };
}
