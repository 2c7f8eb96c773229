import { ProviderError } from '@fd/errors';
import type { ProviderClient } from '../../integrations/index.js';
import type { DocumentLocker, LockerOrder, LockerOutcome, OpenedLocker } from './document-locker.port.js';
import { expectedOf } from './expected.js';
import { type Comparison, lockerOpened, lockerSession } from './provider-messages.js';

export class HttpDocumentLockerAdapter implements DocumentLocker {
  constructor(private readonly client: ProviderClient) {}

  async open(order: LockerOrder): Promise<OpenedLocker> {
    const { body } = await this.client.call({
      operation: 'open',
      method: 'POST',
      path: '/sessions',
      body: {
        reference: order.reference,
        redirect_url: order.redirectUrl,
        expected: expectedOf(order.expected),
      },
      idempotencyKey: order.reference,
      isRepeatable: true,
      answers: { 201: lockerOpened },
    });
    return { lockerId: body.session_id, url: body.url, expiresAt: body.expires_at };
  }

  async outcome(lockerId: string, isCompared: boolean): Promise<LockerOutcome> {
    const { body } = await this.client.call({
      operation: 'outcome',
      method: 'GET',
      path: `/sessions/${encodeURIComponent(lockerId)}`,
      isRepeatable: true,
      answers: { 200: lockerSession },
    });
    switch (body.status) {
      case 'CREATED':
        return { outcome: 'open' };
      case 'DENIED':
        return { outcome: 'denied' };
      case 'EXPIRED':
        return { outcome: 'expired' };
      case 'AUTHORISED':
        return this.allowed(body.aadhaar, isCompared);
    }
  }

  private allowed(aadhaar: AadhaarInLocker, isCompared: boolean): LockerOutcome {
    if (!aadhaar?.present) return { outcome: 'no-aadhaar' };
    if (aadhaar.name_match === 'NO') return { outcome: 'another-person' };
    if (isCompared && aadhaar.name_match !== 'YES') throw this.malformed('a comparison without result');
    if (aadhaar.reference_id === null || aadhaar.last_four === null) {
      throw this.malformed('an Aadhaar without reference');
    }
    return { outcome: 'allowed', reference: aadhaar.reference_id, lastFour: aadhaar.last_four };
  }

  private malformed(detail: string): ProviderError {
    return new ProviderError(this.client.address.name, 'malformed', { detail });
  }
}

type AadhaarInLocker = {
  readonly present: boolean;
  readonly reference_id: string | null;
  readonly last_four: string | null;
  readonly name_match?: Comparison;
} | null;
