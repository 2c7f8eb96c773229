import { z } from 'zod';
import { wireField } from '../../wire/wire-fields.js';

export const customerSearch = z.object({
  pan: wireField.pan,
  date_of_birth: wireField.date,
  mobile: wireField.phone,
});

export const newBankAccount = z.object({
  beneficiary_name: wireField.personName,
  account_no: wireField.accountNumber,
  ifsc: wireField.ifsc,
  customer_ref: wireField.reference,
});

const words = z.string().max(200).nullish();

export const newLead = z.object({
  reference: wireField.reference,
  amount: z.union([z.string().regex(/^[0-9]+(\.[0-9]{1,2})?$/), z.number().nonnegative()]).nullish(),
  tenure_days: z.int().positive().nullish(),
  payout: words,
  source: words,
  campaign: words,
});
