import type { PayoutFrequency } from '@fd/contracts';
import { type Issuer, isOnSale, isRegular, type Vehicle } from '../catalogue.js';
import { formatCivilDate } from '../../dates/civil-date.js';
import { indiaDateOf } from '../../dates/india-time.js';
import { compareTerms } from './compare-terms.js';
import { isoDateOf } from './fineract-api.js';
import type { FineractChart, FineractIncentive, FineractProduct, FineractSlab } from './fineract-products.js';

/** A rate with its bounds; `end` is open if undefined. */
interface Rate {
  readonly days: readonly [number, number | undefined];
  readonly amounts: readonly [number, number | undefined];
  readonly rate: number;
}

/**
 * Compares an issuer's regular vehicles on sale, its benefits and its terms with its products in Fineract.
 * @param frequencies payout frequencies by short name of the product: Fineract's products do not contain them
 * @returns a line for each difference, and for each value that the catalogue cannot express
 */
export function compareProducts(
  issuer: Issuer,
  products: readonly FineractProduct[],
  frequencies: ReadonlyMap<string, PayoutFrequency>,
  now: Date,
): string[] {
  const known = new Map(products.map((product) => [product.shortName, product]));
  const compared = [...frequencies].flatMap(([shortName, frequency]) => {
    const product = known.get(shortName);
    if (!product) return [`${frequency}: Fineract has no product ${shortName}`];
    const vehicles = regularVehicles(issuer, frequency, now);
    const lines = [
      ...compareProduct(issuer, product, vehicles, now),
      ...compareTerms(issuer, product, frequency, vehicles),
    ];
    return lines.map((line) => `${frequency}: ${line}`);
  });
  const others = products.filter(({ shortName }) => !frequencies.has(shortName));
  return [
    ...compared,
    ...others.map(({ shortName, name }) => `not compared: product ${shortName} (${name})`),
  ];
}

/** Fineract's charts have no other vehicles. */
export const regularVehicles = ({ vehicles }: Issuer, frequency: PayoutFrequency, now: Date): Vehicle[] =>
  vehicles.filter(
    (vehicle) => vehicle.payoutFrequency === frequency && isRegular(vehicle) && isOnSale(vehicle, now),
  );

function compareProduct(
  { seniorBenefit, womenBenefit }: Issuer,
  { currency, charts }: FineractProduct,
  vehicles: readonly Vehicle[],
  now: Date,
): string[] {
  if (currency.code !== 'INR') return [`Fineract sells it in ${currency.code}`];
  const current = charts.filter((chart) => isInForce(chart, now));
  const [chart] = current;
  if (!chart || current.length > 1) return [`Fineract has ${current.length} charts in force`];
  const slabs = chart.chartSlabs;
  const inOtherPeriods = slabs.filter(({ periodType }) => !periodType.code.endsWith('.days'));
  if (inOtherPeriods.length > 0)
    return inOtherPeriods.map(
      ({ periodType: { code }, fromPeriod }) => `a slab from ${fromPeriod} is not in days (${code})`,
    );
  return [
    ...compareRates(vehicles.map(rateOfVehicle), slabs.map(rateOfSlab)),
    ...unique(slabs.flatMap((slab) => compareIncentives(slab, Number(seniorBenefit), Number(womenBenefit)))),
  ];
}

function isInForce({ fromDate, endDate }: FineractChart, now: Date): boolean {
  const today = formatCivilDate(indiaDateOf(now));
  return isoDateOf(fromDate) <= today && (!endDate || today <= isoDateOf(endDate));
}

const rateOfVehicle = (vehicle: Vehicle): Rate => ({
  days: [vehicle.minTenure, vehicle.maxTenure],
  amounts: [vehicle.minInvestment, vehicle.maxInvestment],
  rate: Number(vehicle.rate),
});

const rateOfSlab = (slab: FineractSlab): Rate => ({
  days: [slab.fromPeriod, slab.toPeriod],
  amounts: [slab.amountRangeFrom ?? 0, slab.amountRangeTo],
  rate: slab.annualInterestRate,
});

function compareRates(ours: readonly Rate[], theirs: readonly Rate[]): string[] {
  const lines: string[] = [];
  const inCatalogue = new Map(ours.map((rate) => [nameOf(rate), rate.rate]));
  for (const their of theirs) {
    const name = nameOf(their);
    const our = inCatalogue.get(name);
    inCatalogue.delete(name);
    if (our === undefined) lines.push(`${name}: ${their.rate} in Fineract, none in the catalogue`);
    else if (our !== their.rate) lines.push(`${name}: ${their.rate} in Fineract, ${our} in the catalogue`);
  }
  for (const [name, our] of inCatalogue) lines.push(`${name}: none in Fineract, ${our} in the catalogue`);
  return lines;
}

const nameOf = ({ days, amounts }: Rate): string => `${range(days)} days, ${range(amounts)} rupees`;

const range = ([from, to]: Rate['days']): string =>
  to === undefined ? `${from} and more` : `${from} to ${to}`;

/** The catalogue has one benefit for senior citizens (60 and older) and one for women, for all rates of an issuer. */
function compareIncentives(slab: FineractSlab, senior: number, women: number): string[] {
  const benefits = { senior: 0, women: 0 };
  const lines: string[] = [];
  for (const incentive of slab.incentives) {
    const benefit = benefitOf(incentive);
    // Fineract has six decimals; a sum of binary fractions has more
    if (benefit) benefits[benefit] = Number((benefits[benefit] + incentive.amount).toFixed(6));
    else lines.push(`the catalogue cannot express the incentive ${describe(incentive)}`);
  }
  if (benefits.senior !== senior)
    lines.push(`senior citizens get ${benefits.senior} more in Fineract, ${senior} in the catalogue`);
  if (benefits.women !== women)
    lines.push(`women get ${benefits.women} more in Fineract, ${women} in the catalogue`);
  return lines;
}

function benefitOf(incentive: FineractIncentive): 'senior' | 'women' | undefined {
  const { attributeName, conditionType, attributeValue, attributeValueDesc, incentiveType } = incentive;
  if (!incentiveType.code.endsWith('.incentive')) return undefined;
  const condition = `${lastOf(attributeName.code)} ${lastOf(conditionType.code)}`;
  if (condition === 'age greaterthan' && attributeValue === '59') return 'senior';
  if (condition === 'gender equal' && attributeValueDesc === 'Female') return 'women';
  return undefined;
}

const describe = ({
  attributeName,
  conditionType,
  attributeValue,
  incentiveType,
  amount,
}: FineractIncentive): string =>
  `${lastOf(attributeName.code)} ${lastOf(conditionType.code)} ${attributeValue}: ${lastOf(incentiveType.code)} ${amount}`;

const lastOf = (code: string): string => code.slice(code.lastIndexOf('.') + 1);

const unique = (lines: readonly string[]): string[] => [...new Set(lines)];
