import { z } from 'zod';

/** Longest text of theirs that we keep. */
const MAX_TEXT = 200;
const id = z.string().min(1).max(MAX_TEXT);
const instant = z.iso.datetime({ offset: true }).transform((text) => new Date(text));

/** Their refusals: a stable type, and words for people that we do not read. */
export const refusal = z.object({ error: z.object({ type: z.string() }) });

export const customerSearchAnswer = z.discriminatedUnion('found', [
  z.object({ found: z.literal(false) }),
  z.object({
    found: z.literal(true),
    customer: z.object({
      customer_no: id,
      kyc_status: z.enum(['COMPLETE', 'DUE']),
      matched_on: z.array(z.string()),
    }),
  }),
]);

export const registeredBeneficiary = z.object({ beneficiary_id: id, state: z.literal('ACTIVE') });

export const leadAnswer = z.object({
  lead_id: id,
  state: z.enum(['OPEN', 'EXPIRED', 'CONVERTED']),
  expires_at: instant,
});

export const kycContextAnswer = z.object({
  context_id: id,
  documents: z.array(z.string().min(1).max(MAX_TEXT)).max(50),
  declarations: z
    .array(z.object({ code: z.string().min(1).max(MAX_TEXT), text: z.string().min(1).max(2_000) }))
    .max(50),
});
