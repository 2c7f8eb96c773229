import type { AadhaarSeedingStatus } from '@fd/contracts';
import { z } from 'zod';
import {
  MAX_PROVIDER_TEXT,
  type ProviderClient,
  providerName,
  providerText,
} from '../../../../integrations/index.js';
import type { PanLookup, PanQuery, PanRegistry } from '../../pan-registry.port.js';

/** Left out, null or blank: the registry has none. */
const optionalName = providerText(MAX_PROVIDER_TEXT)
  .nullish()
  .transform((text) => text || null);

const verification = z.discriminatedUnion('status', [
  z.object({ status: z.literal('INVALID') }),
  z.object({
    status: z.literal('VALID'),
    name: z.object({ full: providerName, first: providerName, middle: optionalName, last: optionalName }),
    father_name: optionalName,
    date_of_birth_match: z.boolean(),
    aadhaar_link: z.enum(['LINKED', 'NOT_LINKED', 'NOT_APPLICABLE']),
  }),
]);

const refusal = z.object({ error: z.object({ type: z.literal('not_found') }) });

const SEEDING_STATUSES: Readonly<Record<'LINKED' | 'NOT_LINKED' | 'NOT_APPLICABLE', AadhaarSeedingStatus>> = {
  LINKED: 'LINKED',
  NOT_LINKED: 'NOT_LINKED',
  NOT_APPLICABLE: 'NA',
};

/** The PAN registry over its HTTP API. */
export class HttpPanRegistryAdapter implements PanRegistry {
  constructor(private readonly client: ProviderClient) {}

  async lookUp({ pan, dateOfBirth }: PanQuery): Promise<PanLookup> {
    const answer = await this.client.call({
      operation: 'verify-pan',
      method: 'POST',
      path: '/verifications',
      body: { pan, date_of_birth: dateOfBirth, consent: { given: true, purpose: 'PAN_VERIFICATION' } },
      isRepeatable: false,
      answers: { 200: verification, 404: refusal },
    });
    if (answer.status === 404) return { outcome: 'not-found' };
    const { body } = answer;
    if (body.status === 'INVALID') return { outcome: 'not-valid' };
    if (!body.date_of_birth_match) return { outcome: 'dob-differs' };
    return {
      outcome: 'verified',
      names: {
        fullName: body.name.full,
        firstName: body.name.first,
        middleName: body.name.middle,
        lastName: body.name.last,
        fatherName: body.father_name,
      },
      aadhaarSeedingStatus: SEEDING_STATUSES[body.aadhaar_link],
    };
  }
}
