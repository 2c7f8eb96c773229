import {
  type CompareRequest,
  type FactSheetRequest,
  type MaturityQuoteRequest,
  type Paise,
  type PayoutFrequency,
} from '@fd/contracts';
import { type ErrorDefinition, QuoteErrors, type Refusal } from '@fd/errors';
import { type ListedIssuer, isOnSale, rankOf, type Vehicle } from '../catalogue/catalogue.js';
import { type DepositQuote, type MaturityDates, maturityDates, quoteDeposit } from '../maths/maturity.js';
import { formatExactDecimal, parseDecimal, Ratio } from '../maths/ratio.js';

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
    amountPaise: 'amount' in request ? request.amount : request.investment_amount,
    tenureDays: request.tenure,
    payoutFrequency: request.payout_frequency ?? 'Maturity',
    isSenior: request.senior_citizen ?? false,
    isWoman: request.women_citizen ?? false,
    isTaxSaver: request.tax_saver ?? false,
  };
}

/** The parts of a depositor's rate in per cent a year; a benefit that does not apply is "0". */
export interface RateComposition {
  readonly base: string;
  readonly senior: string;
  readonly women: string;
  readonly total: string;
}

export interface ProductQuote {
  readonly vehicle: Vehicle;
  readonly rate: RateComposition;
  readonly dates: MaturityDates;
  readonly quote: DepositQuote;
}

export type QuoteOutcome =
  | { readonly product: ProductQuote; readonly refusals?: undefined }
  | { readonly product?: undefined; readonly refusals: NonNullable<Match['refusals']> };

/** Reasons for which a call quotes no deposit. */
export const QUOTE_REFUSALS = [
  QuoteErrors.frequencyNotOffered,
  QuoteErrors.productTypeUnsupported,
  QuoteErrors.tenureInvalid,
  QuoteErrors.tenureOutOfRange,
  QuoteErrors.amountInvalid,
  QuoteErrors.amountOutOfRange,
  QuoteErrors.frequencyUnknown,
  QuoteErrors.flagInvalid,
  QuoteErrors.womenRateNotOffered,
  QuoteErrors.taxSaverNotOffered,
  QuoteErrors.noProduct,
];

/** An issuer's quote for a deposit at an instant, or why it has none. */
export function quoteProduct(issuer: ListedIssuer, query: ProductQuery, at: Date): QuoteOutcome {
  const { vehicle, refusals } = matchProduct(issuer, query, at);
  if (!vehicle) return { refusals };
  const rate = effectiveRate(vehicle.rate, issuer, query);
  const dates = maturityDates(at, query.tenureDays);
  const quote = quoteDeposit({
    principalPaise: query.amountPaise,
    annualRatePercent: rate.total,
    tenureDays: query.tenureDays,
    startDate: dates.startDate,
    compounding: issuer.compounding,
    payoutFrequency: query.payoutFrequency,
    switches: issuer.quoteSwitches,
  });
  return { product: { vehicle, rate, dates, quote } };
}

/**
 * Adds the benefits: both for a woman who is a senior citizen.
 * @param cardRate the vehicle's printed rate; all rates are per cent a year
 * @throws RangeError for a malformed decimal
 */
export function effectiveRate(
  cardRate: string,
  benefits: { readonly seniorBenefit: string; readonly womenBenefit: string },
  depositor: { readonly isSenior: boolean; readonly isWoman: boolean },
): RateComposition {
  const base = parseDecimal(cardRate, 'card rate');
  // reads unused benefits too, so that a malformed value shows before the first senior citizen
  const seniorBenefit = parseDecimal(benefits.seniorBenefit, 'senior citizen benefit');
  const womenBenefit = parseDecimal(benefits.womenBenefit, 'women benefit');
  const senior = depositor.isSenior ? seniorBenefit : Ratio.ZERO;
  const women = depositor.isWoman ? womenBenefit : Ratio.ZERO;
  return {
    base: formatExactDecimal(base),
    senior: formatExactDecimal(senior),
    women: formatExactDecimal(women),
    total: formatExactDecimal(base.plus(senior).plus(women)),
  };
}

export type Match =
  | { readonly vehicle: Vehicle; readonly refusals?: undefined }
  | { readonly vehicle?: undefined; readonly refusals: readonly [Refusal, ...Refusal[]] };

/**
 * The vehicle of an issuer that serves a query at an instant, or why none does: first an option that the issuer does not sell,
 * then a tenure, an amount or both outside all bounds, then the combination.
 */
export function matchProduct(issuer: ListedIssuer, query: ProductQuery, at: Date): Match {
  if (!issuer.payoutFrequencies.includes(query.payoutFrequency))
    return refused(QuoteErrors.frequencyNotOffered, {
      field: 'payout_frequency',
      hint: `It pays out ${issuer.payoutFrequencies.join(', ')}.`,
    });
  if (query.isWoman && !issuer.sellsWomenRate)
    return refused(QuoteErrors.womenRateNotOffered, { field: 'women_citizen' });
  if (query.isTaxSaver && !issuer.sellsTaxSaver)
    return refused(QuoteErrors.taxSaverNotOffered, { field: 'tax_saver' });
  if (!issuer.isLive) return refused(QuoteErrors.noProduct);

  const open = issuer.vehicles.filter((vehicle) => isOpenTo(vehicle, query, at));
  const [outside, ...alsoOutside] = open.length > 0 ? outsideAllBounds(open, query) : [];
  if (outside) return { refusals: [outside, ...alsoOutside] };

  const ofKind = open.filter(
    (vehicle) => vehicle.isTaxSaver === query.isTaxSaver && holdsTenure(vehicle, query),
  );
  const [vehicle] = ofKind.filter((candidate) => holdsAmount(candidate, query, ofKind)).sort(bySpecificity);
  return vehicle ? { vehicle } : refused(QuoteErrors.noProduct);
}

function refused(error: ErrorDefinition, of: Omit<Refusal, 'error'> = {}): Match {
  return { refusals: [{ error, ...of }] };
}

/** A tenure, an amount or both that no vehicle takes, with those of the requested kind (tax saver or not) where any is on sale. */
function outsideAllBounds(vehicles: readonly Vehicle[], query: ProductQuery): Refusal[] {
  const refusals: Refusal[] = [];
  const ofKind = vehicles.filter(({ isTaxSaver }) => isTaxSaver === query.isTaxSaver);
  const offered = ofKind.length > 0 ? ofKind : vehicles;
  if (!vehicles.some((vehicle) => holdsTenure(vehicle, query))) {
    const hint = `It has ${offeredTenures(offered)} days.`;
    refusals.push({ error: QuoteErrors.tenureOutOfRange, field: 'tenure', hint });
  }
  if (!vehicles.some((vehicle) => holdsAmount(vehicle, query, vehicles))) {
    const hint = `It takes ₹${offeredAmounts(offered)}.`;
    refusals.push({ error: QuoteErrors.amountOutOfRange, field: 'investment_amount', hint });
  }
  return refusals;
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

/**
 * Specials before regular vehicles, then the higher rate (one for senior citizens and one for women may both serve), then
 * narrower bands of tenure and of amount, then rank, then id: a total order.
 */
function bySpecificity(a: Vehicle, b: Vehicle): number {
  return (
    specialty(b) - specialty(a) ||
    Number(b.rate) - Number(a.rate) ||
    a.maxTenure - a.minTenure - (b.maxTenure - b.minTenure) ||
    a.maxInvestment - a.minInvestment - (b.maxInvestment - b.minInvestment) ||
    rankOf(a) - rankOf(b) ||
    (a.vehicleId < b.vehicleId ? -1 : 1)
  );
}

const specialty = (vehicle: Vehicle): number => Number(vehicle.isSeniorOnly) + Number(vehicle.isWomenOnly);
