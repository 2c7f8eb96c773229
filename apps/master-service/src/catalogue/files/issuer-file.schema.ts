import { z } from 'zod';
import { COMPOUNDINGS, ISSUER_TYPES, PAYOUT_FREQUENCIES, PRODUCT_TYPES } from '@fd/contracts';
import { SWITCH_VALUES } from '../../maths/convention.js';
import type { IssuerProfile, Vehicle } from '../catalogue.js';

const oneOf = <const Values extends readonly string[]>(values: Values) =>
  z.enum(values, { error: `must be one of ${values.join(', ')}` });

const text = z.string({ error: 'must be text (in quotes if it reads like a number or like NULL)' });
const orNull = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullish().transform((value) => value ?? null);
const flag = z.boolean({ error: 'must be true or false' });
const whole = (min: number, max: number) =>
  z
    .int({ error: 'must be a whole number' })
    .min(min, `must be at least ${min}`)
    .max(max, `must be at most ${max}`);
const uuid = z.uuid('must be a UUID').transform((value) => value.toLowerCase());

/** An instant with an offset; without one it would depend on the machine. */
const instant = z.iso
  .datetime({ offset: true, error: 'must be a time with its offset, such as 2025-04-01T00:00:00+05:30' })
  .transform((value) => new Date(value));

/** A decimal: YAML reads 7 as a number and 7.40 as text. */
const decimal = z
  .union([z.string(), z.number()], { error: 'must be a decimal such as 7.40' })
  .transform(String)
  .pipe(z.string().regex(/^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$/, 'must be a decimal such as 7.40'));

const percentage = (max: number) =>
  decimal
    .refine((value) => !value.startsWith('-'), { error: 'must not be negative', abort: true })
    .refine((value) => Number(value) <= max, `must be at most ${max} per cent a year`)
    .refine((value) => (value.split('.')[1] ?? '').length <= 4, 'has more than four decimals');

/** A hundred years: a longer time is a typing error. */
const MAX_DAYS = 36_500;

/** A higher rate is considered a typing error. */
const MAX_RATE = 15;

const range = (max: number, unit: string) =>
  z
    .tuple([whole(1, max), whole(1, max)], { error: `must be [least, most] in ${unit}` })
    .refine(([least, most]) => least <= most, 'begins above its end');

/** The fields of `issuerData` under their own names. */
export const issuerBlock = {
  id: whole(1, 2_147_483_647),
  f_issuer_id: uuid,
  f_code: text.regex(/^[A-Z][A-Z0-9]{2,19}$/, 'must be 3 to 20 capitals and digits'),
  name: text.min(1, 'must not be empty'),
  description: text,
  url: z.url({ protocol: /^https$/, error: 'must be an https URL' }),
  sub_logo: z.url({ protocol: /^https$/, error: 'must be an https URL' }),
  compounding_freq: oneOf(COMPOUNDINGS),
  issuer_type: oneOf(ISSUER_TYPES),
  crisil_rating: text,
  icra_rating: text,
  trusted_users: text,
  subtag_1: text,
  subtag_2: text,
  bank_type: text,
  hero_tag: orNull(text),
  faq: orNull(text),
  utm_url: orNull(text),
  pg_setting: orNull(text),
  bank_disabled_at: orNull(instant),
  deleted_at: orNull(instant),
  upcoming_bank_date: orNull(instant),
  baseline_issuer_rank: orNull(whole(0, 10_000)),
  active_issuer_rank: whole(0, 10_000),
  is_range_required: flag,
  upcoming_bank: flag,
  enable_our_pg: flag,
  enable_easy_split: flag,
  is_nominee_required: flag,
  is_issuer_live: flag,
  renewal_options: z.strictObject({ Principal: flag, 'No Renewal': flag, 'Total Amount': flag }),
} as const;

export const quoteBlock = {
  day_count: oneOf(SWITCH_VALUES.dayCount).optional(),
  full_periods: oneOf(SWITCH_VALUES.fullPeriods).optional(),
  broken_rule: oneOf(SWITCH_VALUES.brokenRule).optional(),
  payout_basis: oneOf(SWITCH_VALUES.payoutBasis).optional(),
  places: z.literal(SWITCH_VALUES.places, { error: 'must be 0 (rupees) or 2 (paise)' }).optional(),
  rounding: oneOf(SWITCH_VALUES.rounding).optional(),
} as const;

export const sellsBlock = {
  payout_frequencies: z
    .array(oneOf(PAYOUT_FREQUENCIES), { error: 'must be a list of payout frequencies' })
    .min(1, 'must not be empty')
    .refine((list) => new Set(list).size === list.length, 'names a frequency twice'),
  women_rate: flag,
  tax_saver: flag,
} as const;

export const benefitsBlock = {
  senior_citizen: percentage(5),
  women: percentage(5).optional(),
} as const;

const withdrawalTerm = z
  .strictObject({
    held: text
      .regex(/^[1-9][0-9]{0,4} (days|months)$/, 'must be a time such as 7 days or 3 months')
      .refine((held) => daysOf(held) <= MAX_DAYS, 'must be at most a hundred years'),
    interest: z.literal('none', { error: 'must be none, or left out' }).optional(),
    penalty: percentage(5).optional(),
    penalty_without_rate: percentage(5).optional(),
  })
  .refine(({ interest, penalty }) => (interest === undefined) !== (penalty === undefined), {
    error: 'must have either a penalty or interest: none',
  })
  .refine(
    ({ penalty, penalty_without_rate }) => penalty !== undefined || penalty_without_rate === undefined,
    {
      error: 'penalty_without_rate: needs a penalty',
    },
  )
  .transform(({ held, penalty, penalty_without_rate: penaltyWithoutRate }) => ({
    held,
    penalty: penalty ?? null,
    penaltyWithoutRate: penaltyWithoutRate ?? null,
  }));

/** The issuer's terms of early withdrawal. */
export const withdrawalBlock = {
  source: text.min(1, 'must not be empty'),
  effective_from: z.iso.date('must be a date such as 2025-04-01'),
  steps: z
    .array(withdrawalTerm, { error: 'must be a list of steps' })
    .min(1, 'must not be empty')
    .refine(
      (steps) => steps.every(({ held }, at) => at === 0 || daysOf(held) > daysOf(steps[at - 1]!.held)),
      {
        error: 'must ascend by the time held',
      },
    ),
} as const;

/** Approximate days, for the order of steps. */
function daysOf(held: string): number {
  const [count, unit] = held.split(' ');
  return Number(count) * (unit === 'months' ? 30.5 : 1);
}

const optional = <Shape extends Record<string, z.ZodType>>(shape: Shape) =>
  Object.fromEntries(Object.entries(shape).map(([key, schema]) => [key, schema.optional()])) as {
    [Key in keyof Shape]: z.ZodOptional<Shape[Key]>;
  };

/** Terms of a vehicle, from the row, else its card, else the file's defaults. */
export const termsBlock = optional({
  effective_from: instant,
  effective_until: instant.nullable(),
  amount: range(1_000_000_000, 'whole rupees'),
  lock_in_days: whole(0, MAX_DAYS),
  product_id: text,
  product_type: z.enum(PRODUCT_TYPES, { error: `must be ${PRODUCT_TYPES.join(' or ')}` }),
  details: text,
  issuer_commission: text,
  self_commission: text,
  rank: whole(0, 10_000).nullable(),
  senior_only: flag,
  women_only: flag,
  tax_saver: flag,
  early_withdrawal: flag,
  visible: flag,
});

export const cardBlock = {
  ...termsBlock,
  name: text.min(1, 'must not be empty'),
  // validated row by row
  rates: z.unknown(),
} as const;

export const rowBlock = {
  ...termsBlock,
  vehicle: uuid,
  days: range(MAX_DAYS, 'days'),
  rate: percentage(MAX_RATE).refine((value) => Number(value) > 0, 'must be more than nothing'),
  label: text.optional(),
} as const;

export type Fields<Block extends z.ZodRawShape> = z.output<z.ZodObject<Block>>;
export type Terms = Fields<typeof termsBlock>;
export type Row = Fields<typeof rowBlock>;

/** Optional terms. */
export const USUAL_TERMS = {
  effective_until: null,
  product_id: '',
  product_type: 'FD',
  details: 'NULL',
  issuer_commission: 'NULL',
  self_commission: 'NULL',
  rank: null,
  senior_only: false,
  women_only: false,
  tax_saver: false,
  early_withdrawal: true,
  visible: true,
} as const satisfies Terms;

type Names<T> = { readonly [Field in keyof Required<T>]: string };

/** The name in the file of every field of an issuer; the compiler requires one for a new field. */
export const ISSUER_FIELDS = {
  number: 'id',
  code: 'f_code',
  slug: 'slug',
  name: 'name',
  description: 'description',
  issuerType: 'issuer_type',
  compounding: 'compounding_freq',
  quoteSwitches: 'quote',
  seniorBenefit: 'benefits.senior_citizen',
  womenBenefit: 'benefits.women',
  payoutFrequencies: 'sells.payout_frequencies',
  sellsWomenRate: 'sells.women_rate',
  sellsTaxSaver: 'sells.tax_saver',
  url: 'url',
  subLogo: 'sub_logo',
  crisilRating: 'crisil_rating',
  icraRating: 'icra_rating',
  trustedUsers: 'trusted_users',
  subtag1: 'subtag_1',
  subtag2: 'subtag_2',
  bankType: 'bank_type',
  heroTag: 'hero_tag',
  faq: 'faq',
  utmUrl: 'utm_url',
  pgSetting: 'pg_setting',
  bankDisabledAt: 'bank_disabled_at',
  deletedAt: 'deleted_at',
  upcomingBankDate: 'upcoming_bank_date',
  baselineIssuerRank: 'baseline_issuer_rank',
  activeIssuerRank: 'active_issuer_rank',
  isRangeRequired: 'is_range_required',
  isUpcomingBank: 'upcoming_bank',
  enableOurPg: 'enable_our_pg',
  enableEasySplit: 'enable_easy_split',
  isNomineeRequired: 'is_nominee_required',
  isLive: 'is_issuer_live',
  renewalOptions: 'renewal_options',
  prematureWithdrawal: 'premature_withdrawal',
} as const satisfies Names<Omit<IssuerProfile, 'issuerId'>>;

/** The name in the file of every field of a vehicle. */
export const VEHICLE_FIELDS = {
  issuerId: 'issuer',
  productId: 'product_id',
  productType: 'product_type',
  details: 'details',
  issuerCommission: 'issuer_commission',
  selfCommission: 'self_commission',
  rank: 'rank',
  payoutFrequency: 'payout frequency',
  rate: 'rate',
  minTenure: 'days from',
  maxTenure: 'days to',
  minInvestment: 'amount from',
  maxInvestment: 'amount to',
  tenureLabel: 'label',
  isSeniorOnly: 'senior_only',
  isWomenOnly: 'women_only',
  isTaxSaver: 'tax_saver',
  hasEarlyWithdrawal: 'early_withdrawal',
  isVisible: 'visible',
  lockInPeriod: 'lock_in_days',
  effectiveAt: 'effective_from',
  ineffectiveAt: 'effective_until',
} as const satisfies Names<Omit<Vehicle, 'vehicleId'>>;
