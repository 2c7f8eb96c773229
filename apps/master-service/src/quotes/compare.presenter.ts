import {
  type ComparedIssuer,
  type ComparedQuote,
  type ComparePayload,
  formatRupees,
  type UnavailableIssuer,
} from '@fd/contracts';
import { type ErrorDefinition, messageOf } from '@fd/errors';
import type { Issuer } from '../catalogue/issuer.js';
import type { ProductQuote, QuoteOutcome } from './product-quote.js';
import type { ProductWish } from './product-wish.js';

/** What became of a wish at one issuer. */
export type ComparedOutcome = QuoteOutcome & { readonly issuer: Issuer };

/** Quotes of several issuers, ranked by interest; equals in the order of the issuers. */
export function presentComparison(wish: ProductWish, outcomes: readonly ComparedOutcome[]): ComparePayload {
  const quoted = outcomes
    .flatMap(({ issuer, product }) => (product ? [{ issuer, product }] : []))
    .sort((a, b) => b.product.quote.totalInterest.value - a.product.quote.totalInterest.value);
  return {
    amount: Number(formatRupees(wish.amountPaise)),
    tenure: wish.tenureDays,
    payout_frequency: wish.payoutFrequency,
    senior_citizen: wish.isSenior,
    women_citizen: wish.isWoman,
    tax_saver: wish.isTaxSaver,
    quotes: quoted.map(({ issuer, product }, index) => presentCompared(issuer, product, index + 1)),
    unavailable: outcomes.flatMap(({ issuer, refusal }) =>
      refusal ? [presentRefused(issuer, refusal)] : [],
    ),
  };
}

function presentCompared(issuer: Issuer, { quote, vehicle }: ProductQuote, rank: number): ComparedQuote {
  return {
    rank,
    ...presentName(issuer),
    product_interest: quote.productInterest,
    average_yield: quote.averageYield,
    interest_amount: quote.totalInterest.value,
    maturity_amount: quote.maturityAmount.value,
    maturity_date_ist: quote.maturityDateIst,
    f_investment_vehicle_id: vehicle.vehicleId,
    product_min_tenure_label: vehicle.tenureLabel,
  };
}

function presentRefused(issuer: Issuer, refusal: ErrorDefinition): UnavailableIssuer {
  const { code, text } = refusal;
  return { ...presentName(issuer), errorCode: code, error: text, message: messageOf(refusal) };
}

function presentName(issuer: Issuer): ComparedIssuer {
  return {
    f_issuer_id: issuer.issuerId,
    f_code: issuer.code,
    slug: issuer.slug,
    name: issuer.name,
    issuer_type: issuer.issuerType,
    sub_logo: issuer.subLogo,
  };
}
