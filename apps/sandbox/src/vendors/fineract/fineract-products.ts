import { Refusal } from '../../http/refusal.js';
import { notFound } from './fineract-dialect.js';

/** The regular cards of vindhya in the catalogue of master-service, with which a test compares them. */
const AMOUNTS = [
  [1_000, 9_999_999],
  [10_000_000, 29_999_999],
] as const;
const DAYS = [
  [7, 29],
  [30, 90],
  [91, 180],
  [181, 364],
  [365, 545],
  [546, 729],
  [730, 1_095],
  [1_096, 1_824],
  [1_825, 3_650],
] as const;
/** Per cent a year of the two amounts, for the last of DAYS. */
const AT_MATURITY = [
  [3, 4.25, 5.25, 6, 6.6, 6.75, 6.9, 6.8, 6.5],
  [3.1, 4.35, 5.35, 6.1, 6.7, 6.85, 7, 6.9, 6.6],
] as const;
const FROM_A_YEAR = AT_MATURITY.map((rates) => rates.slice(4));
const MONTHLY_RATES = [
  [6.56, 6.71, 6.86, 6.76, 6.47],
  [6.66, 6.81, 6.96, 6.86, 6.56],
] as const;

const CURRENCY = {
  code: 'INR',
  name: 'Indian Rupee',
  decimalPlaces: 2,
  displaySymbol: '₹',
  nameCode: 'currency.INR',
  displayLabel: 'Indian Rupee (₹)',
};

/** Their periods of compounding and of posting have the same ids. */
const PERIODS = {
  Monthly: [4, 'monthly', 'Monthly'],
  Quarterly: [5, 'quarterly', 'Quarterly'],
  HalfYearly: [6, 'biannual', 'Semi-Annual'],
  Yearly: [7, 'annual', 'Annually'],
} as const;
type Period = keyof typeof PERIODS;

const REST_MONTHS: Readonly<Record<Period, number>> = { Monthly: 1, Quarterly: 3, HalfYearly: 6, Yearly: 12 };

function period(kind: 'compounding' | 'posting', name: Period): object {
  const [id, code, value] = PERIODS[name];
  const prefix =
    kind === 'compounding'
      ? 'savings.interest.period.savingsCompoundingInterestPeriodType'
      : 'savings.interest.posting.period.savingsPostingInterestPeriodType';
  return { id, code: `${prefix}.${code}`, value };
}

const IN_DAYS = { id: 0, code: 'interestChartPeriodType.days', value: 'Days' };

interface Product {
  readonly id: number;
  readonly name: string;
  readonly shortName: string;
  readonly compounding: Period;
  readonly posting: Period;
  readonly rates: readonly (readonly number[])[];
}

/** Fineract's products contain how often interest is posted, but not how often it is paid out; their names do. */
const PRODUCTS: readonly Product[] = [
  {
    id: 1,
    name: 'Maturity',
    shortName: 'VMAT',
    compounding: 'Quarterly',
    posting: 'Yearly',
    rates: AT_MATURITY,
  },
  {
    id: 2,
    name: 'Monthly',
    shortName: 'VMON',
    compounding: 'Monthly',
    posting: 'Monthly',
    rates: MONTHLY_RATES,
  },
  {
    id: 3,
    name: 'Quarterly',
    shortName: 'VQUA',
    compounding: 'Quarterly',
    posting: 'Quarterly',
    rates: FROM_A_YEAR,
  },
  {
    id: 4,
    name: 'HalfYearly',
    shortName: 'VHAL',
    compounding: 'Quarterly',
    posting: 'HalfYearly',
    rates: FROM_A_YEAR,
  },
  {
    id: 5,
    name: 'Yearly',
    shortName: 'VYEA',
    compounding: 'Quarterly',
    posting: 'Yearly',
    rates: FROM_A_YEAR,
  },
];

/** Percentage points above each rate for senior citizens and women. */
const INCENTIVES = [
  incentive(1, [3, 'age', 'age'], [3, 'greaterthan', 'greater than'], '59', 0.5),
  incentive(2, [2, 'gender', 'Gender'], [2, 'equal', 'equal'], 'Female', 0.05),
];

function incentive(
  id: number,
  [attributeId, attribute, attributeValue]: readonly [number, string, string],
  [conditionId, condition, conditionValue]: readonly [number, string, string],
  value: string,
  amount: number,
): object {
  return {
    id,
    entityType: { id: 2, code: 'InterestIncentiveEntityType.customer', value: 'Customer' },
    attributeName: {
      id: attributeId,
      code: `InterestIncentiveAttributeName.${attribute}`,
      value: attributeValue,
    },
    conditionType: {
      id: conditionId,
      code: `incentiveConditionType.${condition}`,
      value: conditionValue,
    },
    // a gender is the id of a code value of the tenant
    attributeValue: attribute === 'gender' ? '22' : value,
    ...(attribute === 'gender' ? { attributeValueDesc: value } : {}),
    incentiveType: { id: 3, code: 'InterestIncentiveType.incentive', value: 'Incentive' },
    amount,
  };
}

/** The fixed deposit products of a tenant: only vindhya has some. */
export const productsOf = (tenant: string): object[] =>
  tenant === 'vindhya' ? PRODUCTS.map(presentProduct) : [];

/** @throws Refusal for an id that the tenant does not have */
export function productOf(tenant: string, id: string): object {
  const product = knownProduct(tenant, id);
  return { ...presentProduct(product), activeChart: chartOf(product) };
}

/** The charts of a product, with their slabs; none of an unknown one. */
export function chartsOf(tenant: string, productId: string): object[] {
  const products = tenant === 'vindhya' ? PRODUCTS : [];
  return products.filter(({ id }) => String(id) === productId).map(chartOf);
}

/**
 * How a deposit in a product grows: per cent a year, and months between two rests.
 * @throws Refusal for an id that the tenant does not have, and for a deposit that the product does not take
 */
export function growthOf(
  tenant: string,
  productId: number,
  { amount, days }: { readonly amount: number; readonly days: number },
): { readonly rate: number; readonly restMonths: number } {
  const { rates, compounding } = knownProduct(tenant, String(productId));
  const band = AMOUNTS.findIndex(([least, most]) => least <= amount && amount <= most);
  const ofAmount = rates[band] ?? [];
  const rate = ofAmount[daysOf(ofAmount).findIndex(([least, most]) => least <= days && days <= most)];
  if (rate === undefined) throw new Refusal(422, 'invalid_request', 'no slab for this amount and period');
  return { rate, restMonths: REST_MONTHS[compounding] };
}

function knownProduct(tenant: string, id: string): Product {
  const product = PRODUCTS.find((known) => tenant === 'vindhya' && String(known.id) === id);
  if (!product) throw notFound();
  return product;
}

function presentProduct({ id, name, shortName, compounding, posting, rates }: Product): object {
  return {
    id,
    name,
    shortName,
    description: `Fixed deposit, interest: ${name}`,
    currency: CURRENCY,
    minDepositTerm: daysOf(rates[0]!)[0]![0],
    minDepositTermType: { id: 0, code: 'deposit.term.savingsPeriodFrequencyType.days', value: 'Days' },
    maxDepositTerm: 3_650,
    maxDepositTermType: { id: 0, code: 'deposit.term.savingsPeriodFrequencyType.days', value: 'Days' },
    minDepositAmount: AMOUNTS[0][0],
    depositAmount: 100_000,
    maxDepositAmount: AMOUNTS[1][1],
    interestCompoundingPeriodType: period('compounding', compounding),
    interestPostingPeriodType: period('posting', posting),
    interestCalculationType: {
      id: 1,
      code: 'savingsInterestCalculationType.dailybalance',
      value: 'Daily Balance',
    },
    interestCalculationDaysInYearType: {
      id: 365,
      code: 'savingsInterestCalculationDaysInYearType.days365',
      value: '365 Days',
    },
    preClosurePenalApplicable: true,
    preClosurePenalInterest: 0.5,
    preClosurePenalInterestOnType: {
      id: 2,
      code: 'preClosurePenalInterestOnType.tillPrematureWithdrawal',
      value: 'Till Premature Withdrawal',
    },
  };
}

const daysOf = (rates: readonly number[]) => DAYS.slice(-rates.length);

function chartOf({ id: productId, name: productName, rates }: Product): object {
  const slabs = rates.flatMap((ofAmount, band) =>
    daysOf(ofAmount).map(([fromPeriod, toPeriod], index) => ({
      periodType: IN_DAYS,
      fromPeriod,
      toPeriod,
      amountRangeFrom: AMOUNTS[band]![0],
      amountRangeTo: AMOUNTS[band]![1],
      annualInterestRate: ofAmount[index],
      currency: CURRENCY,
      incentives: INCENTIVES,
    })),
  );
  return {
    id: productId,
    fromDate: [2025, 4, 1],
    isPrimaryGroupingByAmount: true,
    productId,
    productName,
    chartSlabs: slabs.map((slab, index) => ({ id: productId * 100 + index, ...slab })),
  };
}
