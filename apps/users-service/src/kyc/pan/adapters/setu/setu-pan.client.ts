import { z } from 'zod';
import { optionalName, type ProviderClient, providerName } from '../../../../integrations/index.js';
import { seedingStatus } from '../holder.js';

const seeding = seedingStatus({ LINKED: 'LINKED', NOT_LINKED: 'NOT_LINKED', NA: 'NA', NOT_APPLICABLE: 'NA' });

/** Setu's guide and OpenAPI document differ in the case of this word. */
const word = <Text extends string>(text: Text) => z.string().toLowerCase().pipe(z.literal(text));

/** A message that is a verdict: exactly this text, ignoring case and the full stop. */
const message = <Text extends string>(text: Text) =>
  z
    .string()
    .transform((given) => given.trim().toLowerCase().replace(/\.$/, ''))
    .pipe(z.literal(text));

const success = z.object({
  verification: word('success'),
  data: z.object({
    full_name: providerName,
    first_name: optionalName,
    middle_name: optionalName,
    last_name: optionalName,
    category: optionalName,
    aadhaar_seeding_status: seeding,
  }),
});
const known = z.object({ verification: word('failed'), message: message('pan is invalid') });
const unknown = z.object({ verification: word('failed'), message: message('pan not found') });

export type SetuPan = z.output<typeof success> | z.output<typeof known> | z.output<typeof unknown>;

/** Setu requires at least 20 characters. */
const REASON = 'Verification of the PAN of a person who opens a fixed deposit';

/** Setu's PAN call, in Setu's terms. It is charged and must not be repeated. */
export class SetuPanClient {
  readonly client;

  constructor(client: ProviderClient) {
    this.client = client.forOperations('verify-pan');
  }

  async verify(pan: string, reason = REASON): Promise<SetuPan> {
    const answer = await this.client.call({
      operation: 'verify-pan',
      path: '/api/verify/pan',
      body: { pan, consent: 'Y', reason },
      answers: { 200: z.union([success, known]), 404: unknown },
    });
    return answer.body;
  }
}
