import { formatRupees } from '@fd/contracts';
import type { ErrorDefinition } from '@fd/errors';
import type { ListedIssuer, Vehicle } from '../catalogue/catalogue.js';
import { effectiveRate, type RateComposition } from '../maths/effective-rate.js';
import { type DepositQuote, type MaturityDates, maturityDates, quoteDeposit } from '../maths/maturity.js';
import { matchProduct, type ProductQuery } from './product-matching.js';

export interface ProductQuote {
  readonly vehicle: Vehicle;
  readonly rate: RateComposition;
  readonly dates: MaturityDates;
  readonly quote: DepositQuote;
}

export type QuoteOutcome =
  | { readonly product: ProductQuote; readonly refusal?: undefined; readonly hint?: undefined }
  | { readonly product?: undefined; readonly refusal: ErrorDefinition; readonly hint?: string | undefined };

/** An issuer's quote for a deposit at an instant, or why it has none. */
export function quoteProduct(issuer: ListedIssuer, query: ProductQuery, at: Date): QuoteOutcome {
  const { vehicle, refusal, hint } = matchProduct(issuer, query, at);
  if (!vehicle) return { refusal, hint };
  const rate = effectiveRate(vehicle.rate, issuer, query);
  const dates = maturityDates(at, query.tenureDays);
  const quote = quoteDeposit({
    principal: formatRupees(query.amountPaise),
    annualRatePercent: rate.total,
    tenureDays: query.tenureDays,
    startDate: dates.startDate,
    compounding: issuer.compounding,
    payoutFrequency: query.payoutFrequency,
    switches: issuer.quoteSwitches,
  });
  return { product: { vehicle, rate, dates, quote } };
}
