import {
  type CompareRequest,
  type FactSheetRequest,
  type MaturityQuoteRequest,
  type Paise,
  type PayoutFrequency,
  readAmount,
} from '@fd/contracts';
import { type ErrorDefinition, QuoteErrors } from '@fd/errors';
import { type ListedIssuer, isOnSale, rankOf, type Vehicle } from '../catalogue/catalogue.js';

/** The requested deposit, with everything that the rate depends on. */
export interface ProductQuery {
  readonly amountPaise: Paise;
  readonly tenureDays: number;
  readonly payoutFrequency: PayoutFrequency;
  readonly isSenior: boolean;
  readonly isWoman: boolean;
  readonly isTaxSaver: boolean;
}

export function productQueryOf(
  request: MaturityQuoteRequest | CompareRequest | FactSheetRequest,
): ProductQuery {
  return {
    amountPaise: readAmount('amount' in request ? request.amount : request.investment_amount)!,
    // too many digits would become Infinity, which JSON lacks
    tenureDays: Math.min(Number(request.tenure), Number.MAX_SAFE_INTEGER),
    payoutFrequency: request.payout_frequency ?? 'Maturity',
    isSenior: request.senior_citizen === 'true',
    isWoman: request.women_citizen === 'true',
    isTaxSaver: request.tax_saver === 'true',
  };
}

export type Match =
  | { readonly vehicle: Vehicle; readonly refusal?: undefined; readonly hint?: undefined }
  | { readonly vehicle?: undefined; readonly refusal: ErrorDefinition; readonly hint?: string | undefined };

/**
 * The vehicle of an issuer that serves a query at an instant, or the reason why none does: first an option that the issuer does
 * not sell, then a tenure or an amount outside all bounds, then the combination.
 */
export function matchProduct(issuer: ListedIssuer, query: ProductQuery, at: Date): Match {
  if (!issuer.payoutFrequencies.includes(query.payoutFrequency))
    return {
      refusal: QuoteErrors.frequencyNotOffered,
      hint: `It pays out ${issuer.payoutFrequencies.join(', ')}.`,
    };
  if (query.isWoman && !issuer.sellsWomenRate) return { refusal: QuoteErrors.womenRateNotOffered };
  if (query.isTaxSaver && !issuer.sellsTaxSaver) return { refusal: QuoteErrors.taxSaverNotOffered };
  if (!issuer.isLive) return { refusal: QuoteErrors.noProduct };

  const open = issuer.vehicles.filter((vehicle) => isOpenTo(vehicle, query, at));
  if (open.length > 0 && !open.some((vehicle) => holdsTenure(vehicle, query)))
    return { refusal: QuoteErrors.tenureOutOfRange, hint: `It has ${offeredTenures(open)} days.` };
  if (open.length > 0 && !open.some((vehicle) => holdsAmount(vehicle, query, open)))
    return { refusal: QuoteErrors.amountOutOfRange, hint: `It takes ₹${offeredAmounts(open)}.` };

  const ofKind = open.filter(
    (vehicle) => vehicle.isTaxSaver === query.isTaxSaver && holdsTenure(vehicle, query),
  );
  const [vehicle] = ofKind.filter((candidate) => holdsAmount(candidate, query, ofKind)).sort(bySpecificity);
  return vehicle ? { vehicle } : { refusal: QuoteErrors.noProduct };
}

function isOpenTo(vehicle: Vehicle, query: ProductQuery, at: Date): boolean {
  return (
    // the most selective condition first
    vehicle.payoutFrequency === query.payoutFrequency &&
    vehicle.isVisible &&
    isOnSale(vehicle, at) &&
    (query.isSenior || !vehicle.isSeniorOnly) &&
    (query.isWoman || !vehicle.isWomenOnly)
  );
}

function holdsTenure(vehicle: Vehicle, { tenureDays }: ProductQuery): boolean {
  return vehicle.minTenure <= tenureDays && tenureDays <= vehicle.maxTenure;
}

/**
 * Bounds are whole rupees. Paise between two adjoining bands belong to the lower one, or 24,99,999.50 would be in neither; above
 * the highest band they are too much.
 */
function holdsAmount(vehicle: Vehicle, { amountPaise }: ProductQuery, others: readonly Vehicle[]): boolean {
  if (amountPaise < BigInt(vehicle.minInvestment) * 100n) return false;
  if (amountPaise <= BigInt(vehicle.maxInvestment) * 100n) return true;
  return (
    amountPaise / 100n === BigInt(vehicle.maxInvestment) &&
    others.some((other) => other.minInvestment === vehicle.maxInvestment + 1)
  );
}

const offeredTenures = (vehicles: readonly Vehicle[]): string =>
  joined(vehicles.map(({ minTenure, maxTenure }) => [minTenure, maxTenure]));

const offeredAmounts = (vehicles: readonly Vehicle[]): string =>
  joined(vehicles.map(({ minInvestment, maxInvestment }) => [minInvestment, maxInvestment]));

/** Ranges of whole numbers as text; merges overlapping and adjoining ones. */
function joined(ranges: [min: number, max: number][]): string {
  const merged: [min: number, max: number][] = [];
  for (const [min, max] of ranges.sort(([a], [b]) => a - b)) {
    const last = merged.at(-1);
    if (last && min <= last[1] + 1) last[1] = Math.max(last[1], max);
    else merged.push([min, max]);
  }
  return merged
    .map(([min, max]) => (min === max ? inIndia(min) : `${inIndia(min)} to ${inIndia(max)}`))
    .join(', ');
}

const inIndia = (count: number): string => count.toLocaleString('en-IN');

/** Specials before regular vehicles, then narrower bands of tenure and of amount, then rank, then id: a total order. */
function bySpecificity(a: Vehicle, b: Vehicle): number {
  return (
    specialty(b) - specialty(a) ||
    a.maxTenure - a.minTenure - (b.maxTenure - b.minTenure) ||
    a.maxInvestment - a.minInvestment - (b.maxInvestment - b.minInvestment) ||
    rankOf(a) - rankOf(b) ||
    (a.vehicleId < b.vehicleId ? -1 : 1)
  );
}

const specialty = (vehicle: Vehicle): number => Number(vehicle.isSeniorOnly) + Number(vehicle.isWomenOnly);
