import {
  type ComparedIssuer,
  type ComparedQuote,
  type ComparePayload,
  type MaturityQuote,
  toRupees,
  type UnavailableIssuer,
} from '@fd/contracts';
import { messageOf } from '@fd/errors';
import type { ListedIssuer } from '../catalogue/catalogue.js';
import { formatCivilDate } from '../dates/civil-date.js';
import type { ProductQuery, ProductQuote, QuoteOutcome } from './product-quote.js';
import { quoteWorking } from './quote-working.js';

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
    maturity_amount: toRupees(quote.maturityAmountPaise),
  };
}

export function presentExplainedQuote(product: ProductQuote): MaturityQuote {
  const { quote, rate } = product;
  return {
    ...presentQuote(product),
    principal: toRupees(quote.figures.principalPaise),
    interest_amount: toRupees(quote.figures.totalInterestPaise),
    rate_applied: { base: rate.base, senior: rate.senior, women: rate.women },
    ...quoteWorking(quote, rate),
  };
}

const interestOf = ({ quote }: ProductQuote) => quote.figures.totalInterestPaise;

type ComparedOutcome = QuoteOutcome & { readonly issuer: ListedIssuer };

/** Quotes of several issuers, ranked by interest; equal ones in the order of the issuers. */
export function presentComparison(query: ProductQuery, outcomes: readonly ComparedOutcome[]): ComparePayload {
  const quoted = outcomes
    .flatMap(({ issuer, product }) => (product ? [{ issuer, product }] : []))
    .sort((a, b) => Number(interestOf(b.product) - interestOf(a.product)));
  return {
    amount: toRupees(query.amountPaise),
    tenure: query.tenureDays,
    payout_frequency: query.payoutFrequency,
    senior_citizen: query.isSenior,
    women_citizen: query.isWoman,
    tax_saver: query.isTaxSaver,
    quotes: quoted.map(({ issuer, product }, index) => presentCompared(issuer, product, index + 1)),
    unavailable: outcomes.flatMap((outcome) => (outcome.refusals ? [presentRefused(outcome)] : [])),
  };
}

function presentCompared(
  issuer: ListedIssuer,
  { quote, vehicle }: ProductQuote,
  rank: number,
): ComparedQuote {
  return {
    rank,
    ...presentName(issuer),
    product_interest: quote.productInterest,
    average_yield: quote.averageYield,
    interest_amount: toRupees(quote.figures.totalInterestPaise),
    maturity_amount: toRupees(quote.maturityAmountPaise),
    maturity_date_ist: quote.maturityDateIst,
    f_investment_vehicle_id: vehicle.vehicleId,
    product_min_tenure_label: vehicle.tenureLabel,
  };
}

/** With its first reason. */
function presentRefused({
  issuer,
  refusals: [{ error, hint }],
}: Extract<ComparedOutcome, { product?: undefined }>): UnavailableIssuer {
  const { code, text } = error;
  return { ...presentName(issuer), errorCode: code, error: text, message: messageOf(error, { hint }) };
}

function presentName(issuer: ListedIssuer): ComparedIssuer {
  return {
    f_issuer_id: issuer.issuerId,
    f_code: issuer.code,
    slug: issuer.slug,
    name: issuer.name,
    issuer_type: issuer.issuerType,
    sub_logo: issuer.subLogo,
  };
}
