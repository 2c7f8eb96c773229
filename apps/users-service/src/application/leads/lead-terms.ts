import {
  isGiven,
  isPrintableLine,
  isRecord,
  type OpenLeadRequest,
  parseRupees,
  toRupees,
} from '@fd/contracts';
import { GeneralErrors, readAll, refuse } from '@fd/errors';
import type { LeadRequest } from '../../integrations/index.js';

/** The deposit that the customer asks for in the request. */
export type LeadTerms = Omit<LeadRequest, 'reference'>;

const MAX_TENURE_DAYS = 36_500;
/** Ten lakh crore rupees: above any deposit, and exact as a number. */
const MAX_AMOUNT_PAISE = 10n ** 15n;

const MAX_CONTEXT_CHARACTERS = 4_000;
const MAX_LINE_LENGTH = 100;

type Context = Readonly<Record<string, unknown>>;
type Utm = Readonly<Record<string, string | null>>;

/**
 * Numbers may be text, and all fields are optional; given values must be readable.
 * @throws GeneralErrors.fieldInvalid with the path of each field
 */
export function leadTerms({ fd_info, utm, source }: OpenLeadRequest): LeadTerms {
  const valid = <T>(field: string, value: unknown, holds: (value: unknown) => value is T): T | undefined =>
    value === undefined || value === null || holds(value)
      ? (value ?? undefined)
      : refuse(GeneralErrors.fieldInvalid, field);
  const { amount, tenure, payout_frequency } = isContext(fd_info) ? fd_info : {};
  const { deposit: _, ...terms } = readAll<LeadTerms & { deposit: unknown }>({
    deposit: () => valid('fd_info', fd_info, isContext),
    amount: () => read('fd_info.amount', amount, readAmount),
    tenureDays: () => read('fd_info.tenure', tenure, readTenure),
    payoutFrequency: () => read('fd_info.payout_frequency', payout_frequency, readWord),
    campaign: () => {
      const given = valid('utm', utm, isUtm);
      return given?.['utm_campaign'] || given?.['campaign'] || null;
    },
    source: () => valid('source', source, isLine) || null,
  });
  return terms;
}

export function hasTerms({ fd_info }: OpenLeadRequest): boolean {
  return isRecord(fd_info) && Object.values(fd_info).some(isGiven);
}

/** An object with any fields, up to a limit of size. */
const isContext = (value: unknown): value is Context =>
  isRecord(value) && JSON.stringify(value).length <= MAX_CONTEXT_CHARACTERS;

const isLine = (value: unknown): value is string => isPrintableLine(value, MAX_LINE_LENGTH);

const isUtm = (value: unknown): value is Utm =>
  isContext(value) && Object.values(value).every((line) => (line ?? null) === null || isLine(line));

function read<T>(field: string, value: unknown, reader: (text: string) => T | undefined): T | null {
  if (!isGiven(value)) return null;
  const read = typeof value === 'string' || typeof value === 'number' ? reader(String(value)) : undefined;
  if (read === undefined) throw GeneralErrors.fieldInvalid({ field });
  return read;
}

function readAmount(text: string): number | undefined {
  const paise = parseRupees(text);
  if (paise === undefined || paise === 0n || paise > MAX_AMOUNT_PAISE) return undefined;
  return toRupees(paise);
}

function readTenure(text: string): number | undefined {
  const days = /^[0-9]{1,5}$/.test(text) ? Number(text) : 0;
  return days >= 1 && days <= MAX_TENURE_DAYS ? days : undefined;
}

function readWord(text: string): string | undefined {
  return /^[A-Za-z][A-Za-z _-]{0,29}$/.test(text) ? text : undefined;
}
