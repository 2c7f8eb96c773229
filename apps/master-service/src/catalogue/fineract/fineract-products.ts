import { reasonOf } from '@fd/errors';
import { CommandError, type Environment, loadConfig, rule } from '@fd/platform';
import { z } from 'zod';

const TIMEOUT_MS = 10_000;

const settings = z
  .object({
    NODE_ENV: z.string().optional(),
    FINERACT_URL: z.url({
      protocol: /^https?$/,
      error: 'must be an http(s) URL that ends in /fineract-provider/api',
    }),
    FINERACT_TENANT: z.string(),
    FINERACT_USER: z.string(),
    FINERACT_PASSWORD: z.string(),
  })
  .refine(
    ({ NODE_ENV, FINERACT_URL }) => NODE_ENV !== 'production' || FINERACT_URL.startsWith('https:'),
    rule('FINERACT_URL', 'must be an https URL in production'),
  );

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

/** [year, month, day] */
const date = z.tuple([z.number(), z.number(), z.number()]);

const chart = z.object({
  fromDate: date,
  endDate: date.optional(),
  chartSlabs: z.array(slab).default([]),
});
export type FineractChart = z.output<typeof chart>;

const product = z.object({
  id: z.number(),
  name: z.string(),
  shortName: z.string(),
  currency: option,
});

/** A fixed deposit product with all its interest rate charts. */
export interface FineractProduct extends z.output<typeof product> {
  readonly charts: readonly FineractChart[];
}

/**
 * Reads the fixed deposit products of an issuer's Apache Fineract.
 * @param env FINERACT_URL, FINERACT_TENANT, FINERACT_USER and FINERACT_PASSWORD
 * @throws ConfigError with all problems of the settings
 * @throws CommandError when Fineract does not answer, refuses, or answers in another format
 */
export async function fineractProducts(env: Environment): Promise<FineractProduct[]> {
  const given = loadConfig(settings, env);
  const authorization = Buffer.from(`${given.FINERACT_USER}:${given.FINERACT_PASSWORD}`).toString('base64');
  const headers = {
    authorization: `Basic ${authorization}`,
    'fineract-platform-tenantid': given.FINERACT_TENANT,
    accept: 'application/json',
  };

  async function get<Schema extends z.ZodType>(path: string, schema: Schema): Promise<z.output<Schema>> {
    const response = await fetch(`${given.FINERACT_URL.replace(/\/$/, '')}/v1/${path}`, {
      headers,
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }).catch((error: unknown) => {
      throw new CommandError(`Fineract does not answer ${path} (${reasonOf(error)})`);
    });
    if (!response.ok) throw new CommandError(`Fineract answers ${response.status} to ${path}`);
    const answer = schema.safeParse(await response.json().catch(() => undefined));
    if (answer.success) return answer.data;
    const places = answer.error.issues.map((issue) => issue.path.join('.') || 'the answer');
    throw new CommandError(`Fineract answers ${path} in another format: see ${places.join(', ')}`);
  }

  const products = await get('fixeddepositproducts', z.array(product));
  return Promise.all(
    products.map(async (one) => ({
      ...one,
      charts: await get(`interestratecharts?productId=${one.id}`, z.array(chart)),
    })),
  );
}
