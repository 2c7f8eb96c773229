import { z } from 'zod';
import { type ProviderClient, providerId, providerLink } from '../../integrations/index.js';
import type { DocumentLocker, LockerOutcome, OpenedLocker, Visit } from './ekyc-providers.port.js';
import {
  comparisons,
  isAnotherPerson,
  lastFour,
  malformed,
  refusal,
  requireForgotten,
  time,
  visitMessage,
} from './provider-messages.js';

const opened = z.object({ session_id: providerId, url: providerLink, expires_at: time });

const session = z.object({
  status: z.enum(['CREATED', 'AUTHORISED', 'DENIED', 'EXPIRED']),
  aadhaar: z
    .object({
      present: z.boolean(),
      reference_id: providerId.nullable(),
      last_four: lastFour.nullable(),
      ...comparisons,
    })
    .nullable(),
});

export class HttpDocumentLockerAdapter implements DocumentLocker {
  constructor(private readonly client: ProviderClient) {}

  async open(visit: Visit): Promise<OpenedLocker> {
    const { body } = await this.client.call({
      operation: 'open',
      method: 'POST',
      path: '/sessions',
      body: visitMessage(visit),
      idempotencyKey: visit.reference,
      isRepeatable: true,
      answers: { 201: opened },
    });
    return { lockerId: body.session_id, url: body.url, expiresAt: body.expires_at };
  }

  async outcome(lockerId: string, isCompared: boolean): Promise<LockerOutcome> {
    const answer = await this.client.call({
      operation: 'outcome',
      method: 'GET',
      path: `/sessions/${encodeURIComponent(lockerId)}`,
      isRepeatable: true,
      answers: { 200: session, 404: refusal },
    });
    if (answer.status === 404) {
      requireForgotten(this.client, answer.body);
      // what the locker has forgotten can never end
      return { outcome: 'expired' };
    }
    switch (answer.body.status) {
      case 'CREATED':
        return { outcome: 'open' };
      case 'DENIED':
        return { outcome: 'denied' };
      case 'EXPIRED':
        return { outcome: 'expired' };
      case 'AUTHORISED':
        return this.allowed(answer.body.aadhaar, isCompared);
    }
  }

  private allowed(aadhaar: z.output<typeof session>['aadhaar'], isCompared: boolean): LockerOutcome {
    if (!aadhaar?.present) return { outcome: 'no-aadhaar' };
    if (isAnotherPerson(this.client, aadhaar, isCompared)) return { outcome: 'another-person' };
    const { reference_id: reference, last_four } = aadhaar;
    if (reference === null || last_four === null)
      throw malformed(this.client, 'an Aadhaar without reference');
    return { outcome: 'allowed', reference, lastFour: last_four };
  }
}
