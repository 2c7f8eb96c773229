import { z } from 'zod';
import { wireField } from '../wire/wire-fields.js';

/** Ten segments of 153 characters, the most that phones join. */
const MAX_TEXT = 1_530;

/** A message as it is sent to the providers; the phone loses its plus sign. */
export const smsRequest = z.object({
  to: wireField.phone.transform((phone) => phone.replace('+', '')),
  template_id: z.string().min(1).max(100),
  text: z.string().min(1).max(MAX_TEXT),
});

export type SmsRequest = z.output<typeof smsRequest>;
