import { z } from 'zod';
import { field } from '../../http/fields.js';

/** Fields of every body that define the format of its numbers and dates. */
const formats = { locale: z.string().min(2), dateFormat: z.string().min(1) };

export const clientSearch = z.object({
  request: z.object({ text: z.string().min(1) }),
  page: z.int().nonnegative(),
  size: z.int().positive(),
});

export const newClient = z.strictObject({
  ...formats,
  officeId: z.int().positive(),
  legalFormId: z.literal([1, 2]),
  fullname: z.string().trim().min(1).max(160),
  externalId: field.reference.max(100),
  active: z.literal(false),
});

const status = z.enum(['PENDING', 'ACTIVE', 'REJECTED', 'WITHDRAWN']);

export const newAccount = z.strictObject({
  ...formats,
  reference: field.reference,
  holder_name: field.personName,
  account_number: field.accountNumber,
  ifsc: field.ifsc,
  status,
});

export const changedAccount = z.strictObject({ ...formats, status });

/** An application for a fixed deposit, in days. */
export const newDeposit = z.strictObject({
  ...formats,
  clientId: z.int().positive(),
  productId: z.int().positive(),
  submittedOnDate: field.date,
  depositAmount: z.number().positive(),
  depositPeriod: z.int().positive(),
  depositPeriodFrequencyId: z.literal(0),
});
