import { z } from 'zod';
import { providerId, providerLink, providerText } from '../../integrations/index.js';

/** Shapes of what the eKYC parties answer, in their words. Ids and texts are bounded: they are stored. */
const time = z.iso.datetime({ offset: true }).transform((text) => new Date(text));
/** Left out when nobody was named to compare with; whether that may be, the adapters know. */
const yesNo = z.enum(['YES', 'NO']).nullish();
export type Comparison = z.output<typeof yesNo>;

export const hostedRequest = z.object({
  url: providerLink,
  state: z.enum(['created', 'opened', 'verified', 'failed', 'expired']),
  expires_at: time,
});

export const refusal = z.object({ error: z.object({ type: z.string().max(100) }) });

export const aadhaarSent = z.object({
  transaction_id: providerId,
  masked_mobile: providerText(20).nullish(),
  expires_at: time,
  resend_after_seconds: z.number().int().min(0).max(3_600),
});

export const aadhaarVerified = z.object({
  reference_id: providerId,
  last_four: z.string().regex(/^[0-9]{4}$/),
  name_match: yesNo,
  date_of_birth_match: yesNo,
});

export const lockerOpened = z.object({ session_id: providerId, url: providerLink, expires_at: time });

export const lockerSession = z.object({
  status: z.enum(['CREATED', 'AUTHORISED', 'DENIED', 'EXPIRED']),
  aadhaar: z
    .object({
      present: z.boolean(),
      reference_id: providerId.nullable(),
      last_four: z
        .string()
        .regex(/^[0-9]{4}$/)
        .nullable(),
      name_match: yesNo,
    })
    .nullable(),
});
