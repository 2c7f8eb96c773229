import type { QuoteQuery } from './quote.js';

/** A product of `GET /detail/{issuer_uuid}`, as far as it is read. */
export interface Vehicle {
  readonly product_min_tenure: number;
  readonly product_max_tenure: number;
  readonly product_min_investment: number;
  readonly product_max_investment: number;
  readonly product_tax_saver: boolean;
  readonly product_interest_freq: string;
  readonly product_interest: string;
  readonly product_min_tenure_label: string;
}

/** Tenures that an issuer sells at one rate, in days. */
export interface OfferedTenure {
  readonly from: number;
  readonly to: number;
  readonly label: string;
  readonly rate: string;
}

/** Returns the tenures on sale for the other terms of the query, shortest first. */
export function offeredTenures(vehicles: readonly Vehicle[], query: QuoteQuery): readonly OfferedTenure[] {
  const amount = Number(query.amount);
  return vehicles
    .filter((one) => one.product_interest_freq === query.payout_frequency)
    .filter((one) => String(one.product_tax_saver) === query.tax_saver)
    .filter((one) => one.product_min_investment <= amount && amount <= one.product_max_investment)
    .map((one) => ({
      from: one.product_min_tenure,
      to: one.product_max_tenure,
      label: one.product_min_tenure_label,
      rate: one.product_interest,
    }))
    .sort((a, b) => a.from - b.from)
    .filter(({ from }, index, all) => index === 0 || all[index - 1]!.from !== from);
}

/** Returns the offered tenure that contains the given days, or the nearest one. */
export function indexOfTenure(offered: readonly OfferedTenure[], days: number): number {
  const distance = ({ from, to }: OfferedTenure): number => Math.max(0, from - days, days - to);
  const least = Math.min(...offered.map(distance));
  return offered.findIndex((one) => distance(one) === least);
}
