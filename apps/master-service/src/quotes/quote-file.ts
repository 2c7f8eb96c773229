import { COMPOUNDINGS, parseRupees, PAYOUT_FREQUENCIES, toRupees } from '@fd/contracts';
import { z } from 'zod';
import { isCivilDateText, parseCivilDate } from '../dates/civil-date.js';
import { MAX_TENURE_DAYS, SWITCH_VALUES } from '../maths/convention.js';
import { type PayoutYear, quoteDeposit } from '../maths/maturity.js';
import { isPlainDecimal } from '../maths/ratio.js';

export interface QuoteFileResult {
  readonly id: string;
  readonly maturity_date_ist: string;
  readonly maturity_amount: number;
  readonly total_interest: number;
  readonly average_yield: string;
  readonly payout: PayoutYear[];
}

/** A file with invalid entries. The message names each by id and field, for its author. */
export class QuoteFileError extends Error {
  override readonly name = 'QuoteFileError';
}

const entrySchema = z.object({
  id: z.string().min(1),
  input: z.object({
    principal: z.string().transform((text, context) => {
      const paise = parseRupees(text) ?? 0n;
      if (paise > 0n) return paise;
      context.addIssue('must be a decimal text of at least one paisa');
      return z.NEVER;
    }),
    annual_rate_pct: z.string().refine(isPlainDecimal, 'must be a non-negative decimal text'),
    tenure_days: z.int().min(1).max(MAX_TENURE_DAYS),
    start_date: z.string().refine(isCivilDateText, 'must be an existing date in the form YYYY-MM-DD'),
    compounding: z.enum(COMPOUNDINGS),
    payout_frequency: z.enum(PAYOUT_FREQUENCIES),
    options: z
      .object({
        dayCount: z.enum(SWITCH_VALUES.dayCount),
        fullPeriods: z.enum(SWITCH_VALUES.fullPeriods),
        brokenRule: z.enum(SWITCH_VALUES.brokenRule),
        payoutBasis: z.enum(SWITCH_VALUES.payoutBasis),
        places: z.literal(SWITCH_VALUES.places),
        rounding: z.enum(SWITCH_VALUES.rounding),
      })
      .partial()
      .optional(),
  }),
});

const fileSchema = z
  .object({ vectors: z.array(z.unknown()), variants: z.array(z.unknown()) })
  .partial()
  .refine(({ vectors, variants }) => vectors ?? variants, 'it has neither "vectors" nor "variants"');

/** Maximum of listed problems. */
const MAX_PROBLEMS_SHOWN = 20;

/**
 * Quotes every entry of `vectors` and then of `variants`, in the order of the file. Ignores unknown fields.
 * @throws QuoteFileError naming ids and fields, when the file or an entry is invalid
 */
export function quoteFile(json: unknown): QuoteFileResult[] {
  const file = fileSchema.safeParse(json);
  if (!file.success) throw new QuoteFileError(`the file is not usable: ${problemsOf(file.error).join('; ')}`);
  const problems: string[] = [];
  const results: QuoteFileResult[] = [];
  for (const list of ['vectors', 'variants'] as const) {
    for (const [index, raw] of (file.data[list] ?? []).entries()) {
      const entry = entrySchema.safeParse(raw);
      const quoted = entry.success ? quoteEntry(entry.data) : problemsOf(entry.error);
      if (!Array.isArray(quoted)) results.push(quoted);
      else problems.push(...quoted.map((problem) => `entry ${idOf(raw) ?? `${list}[${index}]`}: ${problem}`));
    }
  }
  if (problems.length === 0) return results;
  const shown = problems.slice(0, MAX_PROBLEMS_SHOWN);
  if (problems.length > shown.length) shown.push(`and ${problems.length - shown.length} more`);
  throw new QuoteFileError(shown.join('\n'));
}

function quoteEntry({ id, input }: z.infer<typeof entrySchema>): QuoteFileResult | [problem: string] {
  try {
    const quote = quoteDeposit({
      principalPaise: input.principal,
      annualRatePercent: input.annual_rate_pct,
      tenureDays: input.tenure_days,
      startDate: parseCivilDate(input.start_date),
      compounding: input.compounding,
      payoutFrequency: input.payout_frequency,
      switches: input.options,
    });
    return {
      id,
      maturity_date_ist: quote.maturityDateIst,
      maturity_amount: toRupees(quote.maturityAmountPaise),
      total_interest: toRupees(quote.figures.totalInterestPaise),
      average_yield: quote.averageYield,
      payout: quote.payout,
    };
  } catch (error) {
    // valid fields in an invalid combination, such as a maturity after the year 9999
    if (!(error instanceof RangeError)) throw error;
    return [error.message];
  }
}

const idOf = (raw: unknown): string | undefined => z.object({ id: z.string() }).safeParse(raw).data?.id;

function problemsOf(error: z.ZodError): string[] {
  return error.issues.map(({ path, message }) =>
    path.length > 0 ? `${path.join('.')}: ${message}` : message,
  );
}
