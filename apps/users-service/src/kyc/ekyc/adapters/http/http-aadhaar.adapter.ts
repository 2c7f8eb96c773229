import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { type ProviderClient, providerId, providerText } from '../../../../integrations/index.js';
import type {
  AadhaarCheck,
  AadhaarCode,
  AadhaarProvider,
  ExpectedPerson,
} from '../../ekyc-providers.port.js';
import { expectedMessage, holder, lastFour, refusal, time } from './http-messages.js';

const sent = z.object({
  transaction_id: providerId,
  masked_mobile: providerText(20).nullish(),
  expires_at: time,
  resend_after_seconds: z.number().int().min(0).max(3_600),
});

const verified = z.object({ reference_id: providerId, last_four: lastFour, holder });

/** The provider's documented pause; its answer does not contain one. */
const RESEND_SECONDS = 30;

export class HttpAadhaarAdapter implements AadhaarProvider {
  private readonly client;

  constructor(client: ProviderClient) {
    this.client = client.forOperations('send-otp', 'verify-otp');
  }

  async send(aadhaarNumber: string): Promise<AadhaarCode> {
    const answer = await this.client.call({
      operation: 'send-otp',
      path: '/otp',
      body: { aadhaar_number: aadhaarNumber, consent: true },
      // a retry of this call sends no second code; a new call of the user does
      idempotencyKey: randomUUID(),
      answers: { 200: sent, 422: refusal, 429: refusal },
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
        throw this.client.failed('refused', 'status 422');
    }
  }

  async check(transactionId: string, code: string, expected: ExpectedPerson | null): Promise<AadhaarCheck> {
    const answer = await this.client.call({
      operation: 'verify-otp',
      path: '/otp/verify',
      // without a key: a retry of a wrong code would count twice
      body: { transaction_id: transactionId, otp: code, expected: expectedMessage(expected) },
      answers: { 200: verified, 410: refusal, 422: refusal },
    });
    switch (answer.status) {
      case 200: {
        const { reference_id: reference, last_four, holder: person } = answer.body;
        return { outcome: 'right', reference, lastFour: last_four, person };
      }
      case 410:
        return { outcome: 'expired' };
      case 422:
        if (answer.body.error.type === 'wrong_otp') return { outcome: 'wrong' };
        throw this.client.failed('refused', 'status 422');
    }
  }
}
