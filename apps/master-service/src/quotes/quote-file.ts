import { COMPOUNDINGS, parseRupees, PAYOUT_FREQUENCIES } from '@fd/contracts';
import { z } from 'zod';
import { isCivilDateText, parseCivilDate } from '../dates/civil-date.js';
import { MAX_TENURE_DAYS, SWITCH_VALUES } from '../maths/convention.js';
import { isPlainDecimal } from '../maths/ratio.js';
import { type PayoutYear, quoteDeposit } from '../maths/maturity.js';

/** What a file of quotes gives for one of its entries. */
export interface QuoteFileResult {
  readonly id: string;
  readonly maturity_date_ist: string;
  readonly maturity_amount: number;
  readonly total_interest: number;
  readonly average_yield: string;
  readonly payout: PayoutYear[];
}

/** A file that cannot be quoted. The message names each unusable entry by id and field, for the person who wrote it. */
export class QuoteFileError extends Error {
  override readonly name = 'QuoteFileError';
}

const entrySchema = z.object({
  id: z.string().min(1),
  input: z.object({
    principal: z
      .string()
      .refine((text) => (parseRupees(text) ?? 0n) > 0n, 'must be a decimal text of at least one paisa'),
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

const fileSchema = z.object({
  vectors: z.array(z.unknown()).default([]),
  variants: z.array(z.unknown()).default([]),
});

type QuoteEntry = z.infer<typeof entrySchema>;

/** Enough to mend a file by, and readable. */
const MAX_PROBLEMS_TOLD = 20;

/**
 * Quotes every entry of `vectors` and then of `variants`, in the order of the file. Fields it does not know are
 * ignored. QuoteFileError, naming ids and fields, when the file or any entry is not usable.
 */
export function quoteFile(json: unknown): QuoteFileResult[] {
  const file = fileSchema.safeParse(json);
  if (!file.success) throw new QuoteFileError(`the file is not usable: ${problemsOf(file.error).join('; ')}`);
  if (typeof json === 'object' && json !== null && !('vectors' in json) && !('variants' in json)) {
    throw new QuoteFileError('the file is not usable: it has neither "vectors" nor "variants"');
  }
  const problems: string[] = [];
  const results: QuoteFileResult[] = [];
  for (const list of ['vectors', 'variants'] as const) {
    file.data[list].forEach((raw, index) => {
      const name = entryName(raw, `${list}[${index}]`);
      const entry = entrySchema.safeParse(raw);
      if (!entry.success) problems.push(...problemsOf(entry.error).map((problem) => `${name}: ${problem}`));
      else quoteEntry(entry.data, name, results, problems);
    });
  }
  if (problems.length > 0) throw new QuoteFileError(tellProblems(problems));
  return results;
}

function quoteEntry(
  { id, input }: QuoteEntry,
  name: string,
  results: QuoteFileResult[],
  problems: string[],
): void {
  try {
    const quote = quoteDeposit({
      principal: input.principal,
      annualRatePercent: input.annual_rate_pct,
      tenureDays: input.tenure_days,
      startDate: parseCivilDate(input.start_date),
      compounding: input.compounding,
      payoutFrequency: input.payout_frequency,
      switches: input.options,
    });
    results.push({
      id,
      maturity_date_ist: quote.maturityDateIst,
      maturity_amount: quote.maturityAmount.value,
      total_interest: quote.totalInterest.value,
      average_yield: quote.averageYield,
      payout: quote.payout,
    });
  } catch (error) {
    // fields that are fine each but not together, such as a maturity after the year 9999
    if (!(error instanceof RangeError)) throw error;
    problems.push(`${name}: ${error.message}`);
  }
}

function entryName(raw: unknown, place: string): string {
  const hasId = typeof raw === 'object' && raw !== null && 'id' in raw && typeof raw.id === 'string';
  return hasId ? `entry ${String(raw.id)}` : `entry ${place}`;
}

function problemsOf(error: z.ZodError): string[] {
  return error.issues.map(({ path, message }) =>
    path.length > 0 ? `${path.join('.')}: ${message}` : message,
  );
}

function tellProblems(problems: readonly string[]): string {
  const told = problems.slice(0, MAX_PROBLEMS_TOLD);
  if (problems.length > told.length) told.push(`and ${problems.length - told.length} more`);
  return told.join('\n');
}
