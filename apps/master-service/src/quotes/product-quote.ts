import { formatRupees } from '@fd/contracts';
import { QuoteErrors } from '@fd/errors';
import type { ListedIssuer, Vehicle } from '../catalogue/catalogue.js';
import { effectiveRate, type RateComposition } from '../maths/effective-rate.js';
import { type DepositQuote, type MaturityDates, maturityDates, quoteDeposit } from '../maths/maturity.js';
import { type Match, matchProduct, type ProductQuery } from './product-matching.js';

export interface ProductQuote {
  readonly vehicle: Vehicle;
  readonly rate: RateComposition;
  readonly dates: MaturityDates;
  readonly quote: DepositQuote;
}

export type QuoteOutcome =
  | { readonly product: ProductQuote; readonly refusals?: undefined }
  | { readonly product?: undefined; readonly refusals: NonNullable<Match['refusals']> };

/** Reasons for which a call quotes no deposit. */
export const QUOTE_REFUSALS = [
  QuoteErrors.frequencyNotOffered,
  QuoteErrors.productTypeUnsupported,
  QuoteErrors.tenureInvalid,
  QuoteErrors.tenureOutOfRange,
  QuoteErrors.amountInvalid,
  QuoteErrors.amountOutOfRange,
  QuoteErrors.frequencyUnknown,
  QuoteErrors.flagInvalid,
  QuoteErrors.womenRateNotOffered,
  QuoteErrors.taxSaverNotOffered,
  QuoteErrors.noProduct,
];

/** An issuer's quote for a deposit at an instant, or why it has none. */
export function quoteProduct(issuer: ListedIssuer, query: ProductQuery, at: Date): QuoteOutcome {
  const { vehicle, refusals } = matchProduct(issuer, query, at);
  if (!vehicle) return { refusals };
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
