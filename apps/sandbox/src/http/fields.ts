import { z } from 'zod';

const date = z.iso.date();
const personName = z.string().trim().min(1).max(200);

/** Fields that several providers and issuers require. */
export const field = {
  pan: z.string().regex(/^[A-Z]{5}[0-9]{4}[A-Z]$/, 'must be 5 letters, 4 digits, 1 letter'),
  /** A day that exists, as `1990-05-23`. */
  date,
  personName,
  /** The person that the caller expects, if known. */
  expectedPerson: z.object({ name: personName, date_of_birth: date }).nullable().default(null),
  accountNumber: z.string().regex(/^[0-9]{9,18}$/, 'must be 9 to 18 digits'),
  ifsc: z.string().regex(/^[A-Z]{4}0[A-Z0-9]{6}$/, 'must be an IFSC'),
  phone: z.string().regex(/^\+?[1-9][0-9]{9,14}$/, 'must be a phone number with its country code'),
  reference: z.string().min(1).max(200),
} as const;
