import { z } from 'zod';
import { type ProviderClient, providerLink } from '../../../../integrations/index.js';
import { knownReference } from '../cashfree/cashfree-locker.client.js';

const reference = z.union([z.int(), z.string().regex(/^\d{1,20}$/)]).transform(String);

const made = z.object({ form_link: providerLink });

const form = z.object({
  form_link: providerLink,
  form_status: z.enum(['RECEIVED', 'PENDING', 'SUCCESS', 'FAILED', 'FAILURE', 'EXPIRED']),
  verification_details: z
    .array(z.object({ reference_id: reference, type: z.string(), status: z.string() }))
    .default([]),
});
const unknown = z.object({
  code: z.enum(['Resource not found', 'verification_id_not_found', 'verification_id_value_invalid']),
});

export type CashfreeForm = z.output<typeof form>;

interface NewForm {
  readonly verification_id: string;
  /** Ten digits. */
  readonly phone: string;
  readonly template_name: string;
  /** YYYY-MM-DD, at most 30 days ahead. */
  readonly link_expiry: string;
}

/** Cashfree's calls for KYC links, in Cashfree's terms. `verification_id` is our reference. */
export class CashfreeLinkClient {
  readonly client;

  constructor(client: ProviderClient) {
    this.client = client.forOperations('open', 'state', 'read-aadhaar');
  }

  /** Undefined if the reference exists already. */
  async create(body: NewForm): Promise<string | undefined> {
    const answer = await this.client.call({
      operation: 'open',
      path: '/form',
      body,
      // a reference can be used once
      isRepeatable: true,
      answers: { 200: made, 409: knownReference },
    });
    return answer.status === 409 ? undefined : answer.body.form_link;
  }

  /** Undefined for an unknown reference. */
  async find(verificationId: string): Promise<CashfreeForm | undefined> {
    const answer = await this.client.call({
      operation: 'state',
      path: `/form?verificationID=${encodeURIComponent(verificationId)}`,
      answers: { 200: form, 404: unknown },
    });
    return answer.status === 404 ? undefined : answer.body;
  }
}
