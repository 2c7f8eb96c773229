import { z } from 'zod';
import { type ProviderClient, providerLink } from '../../../../integrations/index.js';
import type { HostedEkyc, HostedEkycState, HostedVisit, OpenedPage } from '../../ekyc-providers.port.js';
import { holder, refusal, requireForgotten, time, visitMessage } from './http-messages.js';

const opened = z.object({ url: providerLink, expires_at: time });

const closed = z.object({ state: z.literal('closed') });

const request = z.discriminatedUnion('state', [
  z.object({ state: z.enum(['created', 'opened', 'failed', 'expired']) }),
  z.object({ state: z.literal('verified'), holder }),
  closed,
]);

export class HttpHostedEkycAdapter implements HostedEkyc {
  readonly name: string;
  readonly isSlow = false;
  private readonly client;

  constructor(client: ProviderClient) {
    this.client = client.forOperations('open', 'state', 'close');
    this.name = client.name;
  }

  async open(visit: HostedVisit): Promise<OpenedPage> {
    const { body } = await this.client.call({
      operation: 'open',
      path: '/requests',
      body: { ...visitMessage(visit), issuer_code: visit.issuerCode, method: visit.method },
      idempotencyKey: visit.reference,
      answers: { 201: opened },
    });
    return { url: body.url, expiresAt: body.expires_at };
  }

  async state(reference: string): Promise<HostedEkycState | undefined> {
    const answer = await this.client.call({
      operation: 'state',
      path: `/requests/${encodeURIComponent(reference)}`,
      answers: { 200: request, 404: refusal },
    });
    if (answer.status === 404) {
      requireForgotten(this.client, 'state', answer.body);
      return undefined;
    }
    const { body } = answer;
    if (body.state === 'verified') return { state: body.state, person: body.holder };
    // a closed request cannot continue and proved nothing
    return { state: body.state === 'closed' ? 'expired' : body.state };
  }

  async close(reference: string): Promise<void> {
    await this.client.call({
      operation: 'close',
      path: `/requests/${encodeURIComponent(reference)}/close`,
      body: {},
      // closing is idempotent
      isRepeatable: true,
      answers: { 200: closed },
    });
  }
}
