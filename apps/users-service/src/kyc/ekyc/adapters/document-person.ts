import { z } from 'zod';

/** Day, month and year in the formats of vendors, or only the year. */
const WRITTEN = [
  /^(?<day>\d{2})[-/](?<month>\d{2})[-/](?<year>\d{4})$/,
  /^(?<day>\d{2})(?<month>\d{2})(?<year>\d{4})$/,
  /^(?<year>\d{4})-(?<month>\d{2})-(?<day>\d{2})$/,
  /^(?<year>\d{4})$/,
];

/** Reads a vendor's date of birth as YYYY-MM-DD or YYYY. Refuses impossible dates. */
export const birth = z
  .string()
  .transform((text, context) => {
    const found = WRITTEN.map((form) => form.exec(text.trim())?.groups).find(Boolean);
    if (found) return [found['year'], found['month'], found['day']].filter(Boolean).join('-');
    context.addIssue({ code: 'custom' });
    return z.NEVER;
  })
  .pipe(z.union([z.iso.date(), z.string().length(4)]));

export const maskedAadhaar = z
  .string()
  .regex(/^(?:[xX*]{4}[- ]?){2}\d{4}$/)
  .transform((masked) => masked.slice(-4));

export const tenDigitPhone = z
  .string()
  .regex(/^[0-9]{10}$/)
  .transform((digits) => `91${digits}`);

/** Maximum size of a document, with its photo and signed file. */
export const MAX_DOCUMENT_BYTES = 1_048_576;
