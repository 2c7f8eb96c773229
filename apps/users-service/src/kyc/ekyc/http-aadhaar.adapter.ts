import { randomUUID } from 'node:crypto';
import { ProviderError } from '@fd/errors';
import type { ProviderClient } from '../../integrations/index.js';
import type { AadhaarCheck, AadhaarCode, AadhaarCodes } from './aadhaar.port.js';
import type { ExpectedPerson } from './expected-person.js';
import { expectedOf } from './expected.js';
import { aadhaarSent, aadhaarVerified, type Comparison, refusal } from './provider-messages.js';

/** The provider does not say for how long to wait in a form that our client reads: this is its published pause. */
const RESEND_SECONDS = 30;

export class HttpAadhaarAdapter implements AadhaarCodes {
  constructor(private readonly client: ProviderClient) {}

  async send(aadhaarNumber: string): Promise<AadhaarCode> {
    const answer = await this.client.call({
      operation: 'send-otp',
      method: 'POST',
      path: '/otp',
      body: { aadhaar_number: aadhaarNumber, consent: true },
      // a second try of this call sends no second code; a call that the person makes again does
      idempotencyKey: randomUUID(),
      isRepeatable: true,
      answers: { 200: aadhaarSent, 422: refusal, 429: refusal },
    });
    switch (answer.status) {
      case 200:
        return {
          outcome: 'sent',
          transactionId: answer.body.transaction_id,
          maskedMobile: answer.body.masked_mobile ?? null,
          expiresAt: answer.body.expires_at,
          resendAfterSeconds: answer.body.resend_after_seconds,
        };
      case 429:
        return { outcome: 'too-soon', retryAfterSeconds: RESEND_SECONDS };
      case 422:
        if (answer.body.error.type === 'no_mobile_linked') return { outcome: 'no-mobile' };
        if (answer.body.error.type === 'invalid_aadhaar') return { outcome: 'invalid-number' };
        throw this.refused(422);
    }
  }

  async check(transactionId: string, code: string, expected: ExpectedPerson | null): Promise<AadhaarCheck> {
    const answer = await this.client.call({
      operation: 'verify-otp',
      method: 'POST',
      path: '/otp/verify',
      body: { transaction_id: transactionId, otp: code, expected: expectedOf(expected) },
      // a wrong code that is sent twice would cost two tries
      isRepeatable: false,
      answers: { 200: aadhaarVerified, 410: refusal, 422: refusal },
    });
    switch (answer.status) {
      case 200: {
        const { reference_id: reference, last_four: lastFour, ...match } = answer.body;
        if (this.isOfAnother([match.name_match, match.date_of_birth_match], expected)) {
          return { outcome: 'another-person' };
        }
        return { outcome: 'right', reference, lastFour };
      }
      case 410:
        return { outcome: 'expired' };
      case 422:
        if (answer.body.error.type === 'wrong_otp') return { outcome: 'wrong' };
        throw this.refused(422);
    }
  }

  /** @throws ProviderError when somebody was to be compared with, and a comparison does not say how it went */
  private isOfAnother(comparisons: readonly Comparison[], expected: ExpectedPerson | null): boolean {
    if (comparisons.includes('NO')) return true;
    if (expected && comparisons.some((said) => said !== 'YES')) {
      throw new ProviderError(this.client.address.name, 'malformed', {
        detail: 'a comparison without result',
      });
    }
    return false;
  }

  private refused(status: number): ProviderError {
    return new ProviderError(this.client.address.name, 'refused', { detail: `status ${status}` });
  }
}
