import { z } from 'zod';
import { providerId, providerText } from '../../../providers/provider-text.js';

/** Their answer: the HTTP status says nothing, the code in the header decides what the body is. */
const envelope = z.object({ header: z.object({ responseCode: z.string() }), body: z.unknown() });

/** A code and the body that belongs to it; undefined for what is not their envelope. */
function opened(answer: unknown): { code: string; body: unknown } | undefined {
  const { data } = envelope.safeParse(answer);
  return data && { code: data.header.responseCode, body: data.body };
}

/** They could not use the call. */
const unusable = z.object({ code: z.literal('30') });

const unknown = z.object({ code: z.literal('14') });

export const enquiryAnswer = z.preprocess(
  opened,
  z.discriminatedUnion('code', [
    z.object({
      code: z.literal('00'),
      body: z.object({ custId: providerId, kycFlag: z.enum(['Y', 'N']), matchFlags: providerText(20) }),
    }),
    unknown,
    unusable,
  ]),
);

export const additionAnswer = z.preprocess(
  opened,
  z.discriminatedUnion('code', [
    z.object({ code: z.literal('01'), body: z.object({ ackNo: providerId }) }),
    unusable,
  ]),
);

export const statusAnswer = z.preprocess(
  opened,
  z.discriminatedUnion('code', [
    z.object({ code: z.literal('00'), body: z.object({ benStatus: z.literal('A'), benId: providerId }) }),
    z.object({ code: z.literal('01'), body: z.object({ benStatus: z.literal('P') }) }),
    z.object({ code: z.literal('57'), body: z.object({ benStatus: z.literal('R') }) }),
    unknown,
    unusable,
  ]),
);
