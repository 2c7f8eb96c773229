import { z } from 'zod';

/** Day, month and year in the orders and with the signs that vendors use; or the year alone. */
const WRITTEN = [
  /^(?<day>\d{2})[-/](?<month>\d{2})[-/](?<year>\d{4})$/,
  /^(?<day>\d{2})(?<month>\d{2})(?<year>\d{4})$/,
  /^(?<year>\d{4})-(?<month>\d{2})-(?<day>\d{2})$/,
  /^(?<year>\d{4})$/,
];

/** A date of birth as a vendor writes it, to YYYY-MM-DD or YYYY. A day that does not exist is refused. */
export const birth = z
  .string()
  .transform((text, context) => {
    const found = WRITTEN.map((form) => form.exec(text.trim())?.groups).find(Boolean);
    if (found) return [found['year'], found['month'], found['day']].filter(Boolean).join('-');
    context.addIssue({ code: 'custom' });
    return z.NEVER;
  })
  .pipe(z.union([z.iso.date(), z.string().length(4)]));

/** A masked Aadhaar number, to its last four digits. */
export const maskedAadhaar = z
  .string()
  .regex(/^(?:[xX*]{4}[- ]?){2}\d{4}$/)
  .transform((masked) => masked.slice(-4));

/** Documents with a photo and a signed file in them. */
export const MAX_DOCUMENT_BYTES = 1_048_576;
