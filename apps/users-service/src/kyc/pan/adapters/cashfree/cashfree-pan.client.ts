import { z } from 'zod';
import { optionalName, type ProviderClient, providerName } from '../../../../integrations/index.js';
import { seedingStatus } from '../holder.js';

const seeding = seedingStatus({ Y: 'LINKED', R: 'NOT_LINKED', NA: 'NA' });

/** An answer about another PAN is malformed. */
const revealed = (pan: string) =>
  z.discriminatedUnion('valid', [
    z.object({
      valid: z.literal(false),
      pan: z.literal(pan),
      pan_status: z.enum(['INVALID', 'DELETED', 'DEACTIVATED']).nullish(),
    }),
    z.object({
      valid: z.literal(true),
      pan: z.literal(pan),
      pan_status: z.literal('VALID').nullish(),
      type: optionalName,
      registered_name: providerName,
      father_name: optionalName,
      aadhaar_seeding_status: seeding,
    }),
  ]);

/** `E`: existing. Other states with E are for companies, except `ED`, the death of a person. */
const matched = z.object({
  name_match: z.enum(['Y', 'N']),
  dob_match: z.enum(['Y', 'N']),
  pan_status: z.literal('E'),
});

const flag = z.string().nullish();
/** Without a holder the flags are meaningless. */
const unmatched = z.object({
  pan_status: z.enum(['ED', 'N', 'F', 'X', 'D']),
  name_match: flag,
  dob_match: flag,
});

export type RevealedPan = z.output<ReturnType<typeof revealed>>;
export type MatchedPan = z.output<typeof matched> | z.output<typeof unmatched>;

/** Cashfree's PAN calls, in Cashfree's terms. Each is charged and must not be repeated. */
export class CashfreePanClient {
  readonly client;

  constructor(client: ProviderClient) {
    this.client = client.forOperations('reveal-pan', 'match-pan');
  }

  async reveal(pan: string, verificationId: string): Promise<RevealedPan> {
    const answer = await this.client.call({
      operation: 'reveal-pan',
      path: '/pan',
      body: { pan, verification_id: verificationId },
      answers: { 200: revealed(pan) },
    });
    return answer.body;
  }

  async match(
    person: { pan: string; name: string; dob: string },
    verificationId: string,
  ): Promise<MatchedPan> {
    const answer = await this.client.call({
      operation: 'match-pan',
      path: '/pan-lite',
      body: { verification_id: verificationId, ...person },
      answers: { 200: z.discriminatedUnion('pan_status', [matched, unmatched]) },
    });
    return answer.body;
  }
}
