import { formatRupees, isGiven, type OpenLeadRequest, parseRupees } from '@fd/contracts';
import { GeneralErrors, readAll } from '@fd/errors';
import type { LeadRequest } from '../../integrations/index.js';

/** The customer's wishes in the request. */
export type LeadTerms = Omit<LeadRequest, 'reference'>;

const MAX_TENURE_DAYS = 36_500;
/** Ten lakh crore rupees: above any deposit, and exact as a number. */
const MAX_AMOUNT_PAISE = 10n ** 15n;

/**
 * Numbers may be text, and all fields are optional; given values must be readable.
 * @throws GeneralErrors.fieldInvalid with the path of each field
 */
export function leadTerms({ fd_info, utm, source }: OpenLeadRequest): LeadTerms {
  const { amount, tenure, payout_frequency } = fd_info ?? {};
  return readAll<LeadTerms>({
    amount: () => read('fd_info.amount', amount, readAmount),
    tenureDays: () => read('fd_info.tenure', tenure, readTenure),
    payoutFrequency: () => read('fd_info.payout_frequency', payout_frequency, readWord),
    source: () => source || null,
    campaign: () => utm?.['utm_campaign'] || utm?.['campaign'] || null,
  });
}

/** Whether a request has any field of the deposit. */
export function hasTerms({ fd_info }: OpenLeadRequest): boolean {
  return Object.values(fd_info ?? {}).some(isGiven);
}

function read<T>(field: string, value: unknown, reader: (text: string) => T | undefined): T | null {
  if (!isGiven(value)) return null;
  const read = typeof value === 'string' || typeof value === 'number' ? reader(String(value)) : undefined;
  if (read === undefined) throw GeneralErrors.fieldInvalid({ field });
  return read;
}

function readAmount(text: string): number | undefined {
  const paise = parseRupees(text);
  if (paise === undefined || paise === 0n || paise > MAX_AMOUNT_PAISE) return undefined;
  return Number(formatRupees(paise));
}

function readTenure(text: string): number | undefined {
  const days = /^[0-9]{1,5}$/.test(text) ? Number(text) : 0;
  return days >= 1 && days <= MAX_TENURE_DAYS ? days : undefined;
}

function readWord(text: string): string | undefined {
  return /^[A-Za-z][A-Za-z _-]{0,29}$/.test(text) ? text : undefined;
}
