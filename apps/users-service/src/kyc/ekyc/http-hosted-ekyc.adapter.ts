import { ProviderError } from '@fd/errors';
import type { z } from 'zod';
import type { ProviderClient } from '../../integrations/index.js';
import type { HostedEkyc, HostedEkycOrder, HostedEkycState } from './ekyc-providers.port.js';
import { expectedOf } from './expected.js';
import { hostedRequest, refusal } from './provider-messages.js';

export class HttpHostedEkycAdapter implements HostedEkyc {
  constructor(private readonly client: ProviderClient) {}

  async open(order: HostedEkycOrder): Promise<HostedEkycState> {
    const { body } = await this.client.call({
      operation: 'open',
      method: 'POST',
      path: '/requests',
      body: {
        reference: order.reference,
        issuer_code: order.issuerCode,
        method: order.method,
        redirect_url: order.redirectUrl,
        expected: expectedOf(order.expected),
      },
      idempotencyKey: order.reference,
      isRepeatable: true,
      answers: { 201: hostedRequest },
    });
    return stateOf(body);
  }

  async state(reference: string): Promise<HostedEkycState | undefined> {
    const answer = await this.client.call({
      operation: 'state',
      method: 'GET',
      path: `/requests/${encodeURIComponent(reference)}`,
      isRepeatable: true,
      answers: { 200: hostedRequest, 404: refusal },
    });
    if (answer.status === 200) return stateOf(answer.body);
    // anything else that is not found is something in front of the provider, which says nothing about the request
    if (answer.body.error.type === 'not_found') return undefined;
    throw new ProviderError(this.client.address.name, 'malformed', { detail: 'status 404' });
  }

  async close(reference: string): Promise<void> {
    await this.client.call({
      operation: 'close',
      method: 'POST',
      path: `/requests/${encodeURIComponent(reference)}/close`,
      body: {},
      // closing what is closed changes nothing
      isRepeatable: true,
      answers: { 200: hostedRequest },
    });
  }
}

function stateOf({ url, state, expires_at: expiresAt }: z.output<typeof hostedRequest>): HostedEkycState {
  return { url, state, expiresAt };
}
