import { z } from 'zod';
import { type FineractApi, fineractDate } from './fineract-api.js';

const option = z.object({ code: z.string() });

const incentive = z.object({
  attributeName: option,
  conditionType: option,
  attributeValue: z.string(),
  attributeValueDesc: z.string().optional(),
  incentiveType: option,
  amount: z.number(),
});
export type FineractIncentive = z.output<typeof incentive>;

const slab = z.object({
  periodType: option,
  fromPeriod: z.number(),
  toPeriod: z.number().optional(),
  amountRangeFrom: z.number().optional(),
  amountRangeTo: z.number().optional(),
  annualInterestRate: z.number(),
  incentives: z.array(incentive).default([]),
});
export type FineractSlab = z.output<typeof slab>;

const chart = z.object({
  fromDate: fineractDate,
  endDate: fineractDate.optional(),
  chartSlabs: z.array(slab).default([]),
});
export type FineractChart = z.output<typeof chart>;

const product = z.object({
  id: z.number(),
  name: z.string(),
  shortName: z.string(),
  currency: option,
  interestCompoundingPeriodType: option,
  interestPostingPeriodType: option,
  /** 360, 365, or 1 for the actual days of the year. */
  interestCalculationDaysInYearType: z.object({ id: z.number() }),
  preClosurePenalApplicable: z.boolean().default(false),
  /** Per cent a year; left out if zero. */
  preClosurePenalInterest: z.number().default(0),
  preClosurePenalInterestOnType: option.optional(),
});

/** A fixed deposit product with all its interest rate charts. */
export interface FineractProduct extends z.output<typeof product> {
  readonly charts: readonly FineractChart[];
}

/** Reads the fixed deposit products of an issuer's Apache Fineract. @throws CommandError as `FineractApi.get` */
export async function fineractProducts(api: FineractApi): Promise<FineractProduct[]> {
  const products = await api.get('fixeddepositproducts', z.array(product));
  return Promise.all(
    products.map(async (one) => ({
      ...one,
      charts: await api.get(`interestratecharts?productId=${one.id}`, z.array(chart)),
    })),
  );
}
