import { z } from 'zod';
import { type ProviderClient, providerId, providerLink } from '../../../../integrations/index.js';
import type { DocumentLocker, LockerOutcome, OpenedLocker, Visit } from '../../ekyc-providers.port.js';
import { holder, lastFour, refusal, requireForgotten, time, visitMessage } from './http-messages.js';

const opened = z.object({ session_id: providerId, url: providerLink, expires_at: time });

const aadhaar = z.discriminatedUnion('present', [
  z.object({ present: z.literal(false) }),
  z.object({ present: z.literal(true), reference_id: providerId, last_four: lastFour, holder }),
]);

const session = z.discriminatedUnion('status', [
  z.object({ status: z.enum(['CREATED', 'DENIED', 'EXPIRED']) }),
  z.object({ status: z.literal('AUTHORISED'), aadhaar }),
]);

const OUTCOMES = { CREATED: 'open', DENIED: 'denied', EXPIRED: 'expired' } as const;

export class HttpDocumentLockerAdapter implements DocumentLocker {
  readonly name: string;
  readonly isSlow = false;
  readonly isOverOnceReturned = true;
  private readonly client;

  constructor(client: ProviderClient) {
    this.client = client.forOperations('open', 'outcome');
    this.name = client.name;
  }

  async open(visit: Visit): Promise<OpenedLocker> {
    const { body } = await this.client.call({
      operation: 'open',
      path: '/sessions',
      body: visitMessage(visit),
      idempotencyKey: visit.reference,
      answers: { 201: opened },
    });
    return { lockerId: body.session_id, url: body.url, expiresAt: body.expires_at };
  }

  async outcome(lockerId: string): Promise<LockerOutcome> {
    const answer = await this.client.call({
      operation: 'outcome',
      path: `/sessions/${encodeURIComponent(lockerId)}`,
      answers: { 200: session, 404: refusal },
    });
    if (answer.status === 404) {
      requireForgotten(this.client, 'outcome', answer.body);
      // a session that the locker no longer knows can never end
      return { outcome: 'expired' };
    }
    const { body } = answer;
    return body.status === 'AUTHORISED' ? allowed(body.aadhaar) : { outcome: OUTCOMES[body.status] };
  }
}

function allowed(document: z.output<typeof aadhaar>): LockerOutcome {
  if (!document.present) return { outcome: 'no-aadhaar' };
  const { reference_id: reference, last_four, holder: person } = document;
  return { outcome: 'allowed', reference, lastFour: last_four, person };
}
