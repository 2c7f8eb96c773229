import type { Issuer, QuoteQuery } from './quote.js';

/** A product of `GET /detail/{issuer_uuid}`, as far as it is read. */
export interface Vehicle {
  readonly f_investment_vehicle_id: string;
  readonly product_min_tenure: number;
  readonly product_max_tenure: number;
  readonly product_min_investment: number;
  readonly product_max_investment: number;
  readonly product_rank: number | null;
  readonly product_senior_citizen: boolean;
  readonly product_women: boolean;
  readonly product_tax_saver: boolean;
  readonly is_visible: boolean;
  readonly product_interest_freq: string;
  readonly product_interest: string;
  readonly product_min_tenure_label: string;
}

/** Tenures that an issuer sells at one rate, in days; the rate has the benefits of the depositor. */
export interface OfferedTenure {
  readonly from: number;
  readonly to: number;
  readonly label: string;
  readonly rate: string;
}

type Terms = Pick<Issuer, 'women_benefit' | 'senior_citizen_benefit' | 'is_women_rate_offered'>;

/**
 * Returns the tenures on sale for the other terms of the query, shortest first, with the product and the rate that a quote has
 * there: where products overlap, the more special and then the narrower one.
 */
export function offeredTenures(
  vehicles: readonly Vehicle[],
  issuer: Terms,
  query: QuoteQuery,
): readonly OfferedTenure[] {
  if (isWoman(query) && !issuer.is_women_rate_offered) return [];
  const open = vehicles.filter((one) => isOpenTo(one, query)).sort(bySpecificity);
  const starts = open.flatMap((one) => [one.product_min_tenure, one.product_max_tenure + 1]);
  const days = [...new Set(starts)].sort((a, b) => a - b);
  const offered: (OfferedTenure & { readonly vehicle: Vehicle })[] = [];
  for (const [index, from] of days.entries()) {
    const vehicle = open.find((one) => one.product_min_tenure <= from && from <= one.product_max_tenure);
    if (!vehicle) continue;
    const to = days[index + 1]! - 1;
    const last = offered.at(-1);
    const isSame = last?.vehicle === vehicle && last.to === from - 1;
    const tenure = {
      from: isSame ? last.from : from,
      to,
      label: vehicle.product_min_tenure_label,
      rate: rateOf(vehicle, issuer, query),
      vehicle,
    };
    offered.splice(isSame ? -1 : offered.length, 1, tenure);
  }
  return offered.map(({ vehicle: _, ...tenure }) => tenure);
}

const isSenior = (query: QuoteQuery): boolean => query.senior_citizen === 'true';
const isWoman = (query: QuoteQuery): boolean => query.women_citizen === 'true';

function isOpenTo(vehicle: Vehicle, query: QuoteQuery): boolean {
  const amount = Number(query.amount);
  return (
    vehicle.is_visible &&
    vehicle.product_interest_freq === query.payout_frequency &&
    vehicle.product_tax_saver === (query.tax_saver === 'true') &&
    (isSenior(query) || !vehicle.product_senior_citizen) &&
    (isWoman(query) || !vehicle.product_women) &&
    vehicle.product_min_investment <= amount &&
    amount <= vehicle.product_max_investment
  );
}

/** The order in which master-service chooses between products. */
function bySpecificity(a: Vehicle, b: Vehicle): number {
  const specialty = (one: Vehicle): number => Number(one.product_senior_citizen) + Number(one.product_women);
  const tenures = (one: Vehicle): number => one.product_max_tenure - one.product_min_tenure;
  const amounts = (one: Vehicle): number => one.product_max_investment - one.product_min_investment;
  const rank = (one: Vehicle): number => one.product_rank ?? Number.MAX_SAFE_INTEGER;
  return (
    specialty(b) - specialty(a) ||
    tenures(a) - tenures(b) ||
    amounts(a) - amounts(b) ||
    rank(a) - rank(b) ||
    (a.f_investment_vehicle_id < b.f_investment_vehicle_id ? -1 : 1)
  );
}

/** Per cent a year as a quote writes it: the printed rate with the benefits. */
function rateOf(vehicle: Vehicle, issuer: Terms, query: QuoteQuery): string {
  const senior = isSenior(query) ? issuer.senior_citizen_benefit : 0;
  const women = isWoman(query) ? issuer.women_benefit : 0;
  // rounded, because a sum of decimals such as 7.72 + 0.1 ends in noise
  return String(Number((Number(vehicle.product_interest) + senior + women).toFixed(6)));
}

/** Returns the offered tenure that contains the given days, or the nearest one. */
export function indexOfTenure(offered: readonly OfferedTenure[], days: number): number {
  const distance = ({ from, to }: OfferedTenure): number => Math.max(0, from - days, days - to);
  const least = Math.min(...offered.map(distance));
  return offered.findIndex((one) => distance(one) === least);
}
