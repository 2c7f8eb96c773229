import { z } from 'zod';
import { type ProviderClient, providerLink } from '../../integrations/index.js';
import type { HostedEkyc, HostedEkycState, HostedVisit, OpenedPage } from './ekyc-providers.port.js';
import {
  comparisons,
  isAnotherPerson,
  refusal,
  requireForgotten,
  time,
  visitMessage,
} from './provider-messages.js';

const request = z.object({
  url: providerLink,
  state: z.enum(['created', 'opened', 'verified', 'failed', 'expired']),
  expires_at: time,
  ...comparisons,
});

export class HttpHostedEkycAdapter implements HostedEkyc {
  constructor(private readonly client: ProviderClient) {}

  async open(visit: HostedVisit): Promise<OpenedPage> {
    const { body } = await this.client.call({
      operation: 'open',
      method: 'POST',
      path: '/requests',
      body: { ...visitMessage(visit), issuer_code: visit.issuerCode, method: visit.method },
      idempotencyKey: visit.reference,
      isRepeatable: true,
      answers: { 201: request },
    });
    return { url: body.url, expiresAt: body.expires_at };
  }

  async state(reference: string, isCompared: boolean): Promise<HostedEkycState | undefined> {
    const answer = await this.client.call({
      operation: 'state',
      method: 'GET',
      path: `/requests/${encodeURIComponent(reference)}`,
      isRepeatable: true,
      answers: { 200: request, 404: refusal },
    });
    if (answer.status === 200) {
      const { state } = answer.body;
      const isVerified = state === 'verified';
      return isVerified && isAnotherPerson(this.client, answer.body, isCompared) ? 'another-person' : state;
    }
    requireForgotten(this.client, answer.body);
    return undefined;
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
