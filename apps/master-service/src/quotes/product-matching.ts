import { type ErrorDefinition, QuoteErrors } from '@fd/errors';
import { type Issuer, isOnSale, rankOf, type Vehicle } from '../catalogue/issuer.js';
import type { ProductWish } from './product-wish.js';

export type Match =
  | { readonly vehicle: Vehicle; readonly refusal?: undefined }
  | { readonly vehicle?: undefined; readonly refusal: ErrorDefinition };

/**
 * The one vehicle of an issuer that serves a wish at an instant, or the reason why none does: first what the
 * issuer does not sell at all, then a tenure or an amount outside all bounds, then the combination.
 */
export function matchProduct(issuer: Issuer, wish: ProductWish, at: Date): Match {
  if (!issuer.payoutFrequencies.includes(wish.payoutFrequency))
    return { refusal: QuoteErrors.frequencyNotOffered };
  if (wish.isWoman && !issuer.sellsWomenRate) return { refusal: QuoteErrors.womenRateNotOffered };
  if (wish.isTaxSaver && !issuer.sellsTaxSaver) return { refusal: QuoteErrors.taxSaverNotOffered };
  if (!issuer.isLive) return { refusal: QuoteErrors.noProduct };

  const open = issuer.vehicles.filter((vehicle) => isOpenTo(vehicle, wish, at));
  if (open.length > 0 && !open.some((vehicle) => holdsTenure(vehicle, wish)))
    return { refusal: QuoteErrors.tenureOutOfRange };
  if (open.length > 0 && !open.some((vehicle) => holdsAmount(vehicle, wish, open)))
    return { refusal: QuoteErrors.amountOutOfRange };

  const ofKind = open.filter(
    (vehicle) => vehicle.isTaxSaver === wish.isTaxSaver && holdsTenure(vehicle, wish),
  );
  const [vehicle] = ofKind.filter((candidate) => holdsAmount(candidate, wish, ofKind)).sort(bySpecificity);
  return vehicle ? { vehicle } : { refusal: QuoteErrors.noProduct };
}

function isOpenTo(vehicle: Vehicle, wish: ProductWish, at: Date): boolean {
  return (
    vehicle.isVisible &&
    isOnSale(vehicle, at) &&
    vehicle.payoutFrequency === wish.payoutFrequency &&
    (wish.isSenior || !vehicle.isSeniorOnly) &&
    (wish.isWoman || !vehicle.isWomenOnly)
  );
}

function holdsTenure(vehicle: Vehicle, { tenureDays }: ProductWish): boolean {
  return vehicle.minTenure <= tenureDays && tenureDays <= vehicle.maxTenure;
}

/**
 * Bounds are whole rupees. Paise between two adjoining bands belong to the lower one, else an amount of
 * 24,99,999.50 would fall between them; beyond the highest band they are too much.
 */
function holdsAmount(vehicle: Vehicle, { amountPaise }: ProductWish, others: readonly Vehicle[]): boolean {
  if (amountPaise < BigInt(vehicle.minInvestment) * 100n) return false;
  if (amountPaise <= BigInt(vehicle.maxInvestment) * 100n) return true;
  return (
    amountPaise / 100n === BigInt(vehicle.maxInvestment) &&
    others.some((other) => other.minInvestment === vehicle.maxInvestment + 1)
  );
}

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
