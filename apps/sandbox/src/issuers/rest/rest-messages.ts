import { z } from 'zod';
import { field } from '../../http/fields.js';

export const customerSearch = z.object({
  pan: field.pan,
  date_of_birth: field.date,
  mobile: field.phone,
});

export const newBankAccount = z.object({
  beneficiary_name: field.personName,
  account_no: field.accountNumber,
  ifsc: field.ifsc,
  customer_ref: field.reference,
});

const words = z.string().max(200).nullish();

export const newLead = z.object({
  reference: field.reference,
  amount: z.union([z.string().regex(/^[0-9]+(\.[0-9]{1,2})?$/), z.number().nonnegative()]).nullish(),
  tenure_days: z.int().positive().nullish(),
  payout: words,
  source: words,
  campaign: words,
});
