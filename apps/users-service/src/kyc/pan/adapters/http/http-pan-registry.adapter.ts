import { z } from 'zod';
import { optionalName, type ProviderClient, providerName } from '../../../../integrations/index.js';
import type { PanLookup, PanQuery, PanRegistry } from '../../pan-registry.port.js';

const verification = z.discriminatedUnion('status', [
  z.object({ status: z.literal('INVALID') }),
  z.object({
    status: z.literal('VALID'),
    name: z.object({ full: providerName, first: providerName, middle: optionalName, last: optionalName }),
    father_name: optionalName,
    date_of_birth_match: z.boolean(),
    aadhaar_link: z
      .enum(['LINKED', 'NOT_LINKED', 'NOT_APPLICABLE'])
      .transform((link) => (link === 'NOT_APPLICABLE' ? 'NA' : link)),
  }),
]);

const refusal = z.object({ error: z.object({ type: z.literal('not_found') }) });

export class HttpPanRegistryAdapter implements PanRegistry {
  readonly name: string;
  private readonly client;

  constructor(client: ProviderClient) {
    this.client = client.forOperations('verify-pan');
    this.name = client.name;
  }

  async lookUp({ pan, dateOfBirth }: PanQuery): Promise<PanLookup> {
    const answer = await this.client.call({
      operation: 'verify-pan',
      path: '/verifications',
      body: { pan, date_of_birth: dateOfBirth, consent: { given: true, purpose: 'PAN_VERIFICATION' } },
      answers: { 200: verification, 404: refusal },
    });
    if (answer.status === 404) return { outcome: 'not-found' };
    const { body } = answer;
    if (body.status === 'INVALID') return { outcome: 'not-valid' };
    if (!body.date_of_birth_match) return { outcome: 'dob-differs' };
    const { full: fullName, first: firstName, middle: middleName, last: lastName } = body.name;
    return {
      outcome: 'verified',
      names: { fullName, firstName, middleName, lastName, fatherName: body.father_name },
      isBirthDateCompared: true,
      aadhaarSeedingStatus: body.aadhaar_link,
    };
  }
}
