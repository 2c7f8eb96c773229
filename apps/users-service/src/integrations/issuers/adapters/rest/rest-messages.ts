import { z } from 'zod';
import { providerId, providerName, providerParagraph } from '../../../providers/provider-text.js';

const instant = z.iso.datetime({ offset: true }).transform((text) => new Date(text));

/** Their refusals: a stable type, and words for people that we do not read. */
export const refusal = z.object({ error: z.object({ type: z.string() }) });

export const customerSearchAnswer = z.discriminatedUnion('found', [
  z.object({ found: z.literal(false) }),
  z.object({
    found: z.literal(true),
    customer: z.object({
      customer_no: providerId,
      kyc_status: z.enum(['COMPLETE', 'DUE']),
      matched_on: z.array(z.string()),
    }),
  }),
]);

export const registeredBeneficiary = z.object({ beneficiary_id: providerId, state: z.literal('ACTIVE') });

export const leadAnswer = z.object({
  lead_id: providerId,
  state: z.enum(['OPEN', 'EXPIRED', 'CONVERTED']),
  expires_at: instant,
});

export const kycContextAnswer = z.object({
  context_id: providerId,
  documents: z.array(providerName).max(50),
  declarations: z.array(z.object({ code: providerName, text: providerParagraph(2_000) })).max(50),
});
