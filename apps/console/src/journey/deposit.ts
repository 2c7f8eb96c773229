import { FIRST_WISH, type Quote, type Wish } from '../quotes/quote.js';

/** A deposit chosen in Quotes, with its interest. */
export interface ChosenDeposit {
  readonly slug: string;
  readonly issuerName: string;
  readonly wish: Wish;
  readonly quote: Quote;
}

/** The default deposit of a journey. */
const USUAL: Partial<Wish> = { amount: '50000', tenure: '730', payout_frequency: 'Maturity' };

/** The deposit that a journey with an issuer is about. */
export function wishFor(slug: string, issuerCode: string, chosen: ChosenDeposit | undefined): Wish {
  return chosen?.slug === slug ? chosen.wish : { ...FIRST_WISH, ...USUAL, issuer: issuerCode };
}

/** Rupees and days of a deposit, as events and leads name it. */
export const amountAndTenure = ({ amount, tenure }: Wish) => ({
  amount: Number(amount),
  tenure: Number(tenure),
});
