import type { Wish } from './quote.js';

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

/** The tenures that are sold for the wish otherwise, shortest first. */
export function offeredTenures(vehicles: readonly Vehicle[], wish: Wish): readonly OfferedTenure[] {
  const amount = Number(wish.amount);
  return vehicles
    .filter((one) => one.product_interest_freq === wish.payout_frequency)
    .filter((one) => String(one.product_tax_saver) === wish.tax_saver)
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
