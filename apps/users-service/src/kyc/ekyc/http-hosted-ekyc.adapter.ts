import { z } from 'zod';
import { type ProviderClient, providerLink } from '../../integrations/index.js';
import type { HostedEkyc, HostedEkycState, HostedVisit } from './ekyc-providers.port.js';
import { malformed, refusal, time, visitMessage } from './provider-messages.js';

const request = z
  .object({
    url: providerLink,
    state: z.enum(['created', 'opened', 'verified', 'failed', 'expired']),
    expires_at: time,
  })
  .transform(({ expires_at: expiresAt, ...rest }): HostedEkycState => ({ ...rest, expiresAt }));

export class HttpHostedEkycAdapter implements HostedEkyc {
  constructor(private readonly client: ProviderClient) {}

  async open(visit: HostedVisit): Promise<HostedEkycState> {
    const { body } = await this.client.call({
      operation: 'open',
      method: 'POST',
      path: '/requests',
      body: { ...visitMessage(visit), issuer_code: visit.issuerCode, method: visit.method },
      idempotencyKey: visit.reference,
      isRepeatable: true,
      answers: { 201: request },
    });
    return body;
  }

  async state(reference: string): Promise<HostedEkycState | undefined> {
    const answer = await this.client.call({
      operation: 'state',
      method: 'GET',
      path: `/requests/${encodeURIComponent(reference)}`,
      isRepeatable: true,
      answers: { 200: request, 404: refusal },
    });
    if (answer.status === 200) return answer.body;
    // anything else that is not found is something in front of the provider, which says nothing about the request
    if (answer.body.error.type === 'not_found') return undefined;
    throw malformed(this.client, 'status 404');
  }

  async close(reference: string): Promise<void> {
    await this.client.call({
      operation: 'close',
      method: 'POST',
      path: `/requests/${encodeURIComponent(reference)}/close`,
      body: {},
      // closing what is closed changes nothing
      isRepeatable: true,
      answers: { 200: request },
    });
  }
}
