import { payoutsOf, type Quote } from './quote.js';

/** The payout of a deposit on a day (YYYY-MM-DD), and its total gain, in rupees. */
export interface Moment {
  readonly date: string;
  readonly amount: number;
  readonly gained: number;
  /** A value between start and maturity, estimated on a smooth curve. */
  readonly isEstimate: boolean;
}

const DAY_MS = 86_400_000;
const QUARTER_DAYS = 91;
const MOST_MOMENTS = 12;

/** Returns the payouts with the total gain at each; for a deposit without payouts, its estimated growth until maturity. */
export function momentsOf(quote: Quote, tenureDays: number): readonly Moment[] {
  if (quote.payout_frequency === 'Maturity') return growthOf(quote, tenureDays);
  let gained = 0;
  return payoutsOf(quote).map(({ date, amount }) => {
    gained += amount;
    return { date, amount, gained, isEstimate: false };
  });
}

function growthOf(quote: Quote, tenureDays: number): readonly Moment[] {
  const { principal, interest_amount: interest, maturity_date_ist: end } = quote;
  const count = Math.min(MOST_MOMENTS, Math.max(1, Math.round(tenureDays / QUARTER_DAYS)));
  const endsAt = new Date(`${end}T00:00:00Z`).getTime();
  return Array.from({ length: count }, (_, index) => {
    const share = (index + 1) / count;
    if (share === 1) return { date: end, amount: interest, gained: interest, isEstimate: false };
    const at = new Date(endsAt - Math.round(tenureDays * (1 - share)) * DAY_MS);
    const gained = principal * (1 + interest / principal) ** share - principal;
    return { date: at.toISOString().slice(0, 10), amount: 0, gained, isEstimate: true };
  });
}
