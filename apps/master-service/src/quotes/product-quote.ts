import { formatRupees } from '@fd/contracts';
import type { ErrorDefinition } from '@fd/errors';
import type { Issuer, Vehicle } from '../catalogue/issuer.js';
import { effectiveRate, type RateComposition } from '../maths/effective-rate.js';
import { type DepositQuote, quoteDeposit } from '../maths/maturity.js';
import { type MaturityDates, maturityDates } from '../maths/maturity-dates.js';
import { matchProduct } from './product-matching.js';
import type { ProductWish } from './product-wish.js';

/** A quote of the vehicle that serves a wish. */
export interface ProductQuote {
  readonly vehicle: Vehicle;
  readonly rate: RateComposition;
  readonly dates: MaturityDates;
  readonly quote: DepositQuote;
}

export type QuoteOutcome =
  | { readonly product: ProductQuote; readonly refusal?: undefined }
  | { readonly product?: undefined; readonly refusal: ErrorDefinition };

/** What an issuer pays for a wish at an instant, or why it has nothing. */
export function quoteProduct(issuer: Issuer, wish: ProductWish, at: Date): QuoteOutcome {
  const { vehicle, refusal } = matchProduct(issuer, wish, at);
  if (!vehicle) return { refusal };
  const rate = effectiveRate({
    cardRatePercent: vehicle.rate,
    seniorCitizenBenefit: issuer.seniorBenefit,
    womenBenefit: issuer.womenBenefit,
    isSeniorCitizen: wish.isSenior,
    isWoman: wish.isWoman,
  });
  const dates = maturityDates(at, wish.tenureDays);
  const quote = quoteDeposit({
    principal: formatRupees(wish.amountPaise),
    annualRatePercent: rate.total,
    tenureDays: wish.tenureDays,
    startDate: dates.startDate,
    compounding: issuer.compounding,
    payoutFrequency: wish.payoutFrequency,
    switches: issuer.quoteSwitches,
  });
  return { product: { vehicle, rate, dates, quote } };
}
