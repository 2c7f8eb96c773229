import { DEFAULT_QUERY, type Quote, type QuoteQuery } from '../quotes/quote.js';

/** A deposit chosen in Quotes, with its interest. */
export interface ChosenDeposit {
  readonly slug: string;
  readonly issuerName: string;
  readonly query: QuoteQuery;
  readonly quote: Quote;
}

/** The default deposit of a journey. */
const USUAL: Partial<QuoteQuery> = { amount: '50000', tenure: '730', payout_frequency: 'Maturity' };

/** Returns the deposit of a journey with an issuer: the chosen one, else the default. */
export function queryFor(slug: string, issuerCode: string, chosen: ChosenDeposit | undefined): QuoteQuery {
  return chosen?.slug === slug ? chosen.query : { ...DEFAULT_QUERY, ...USUAL, issuer: issuerCode };
}

/** Rupees and days of a deposit, for events and leads. */
export const amountAndTenure = ({ amount, tenure }: QuoteQuery) => ({
  amount: Number(amount),
  tenure: Number(tenure),
});
