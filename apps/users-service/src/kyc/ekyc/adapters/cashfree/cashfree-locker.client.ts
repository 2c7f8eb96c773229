import { z } from 'zod';
import { type ProviderClient, providerLink } from '../../../../integrations/index.js';
import { tenDigitPhone } from '../document-person.js';
import {
  type CashfreeAadhaar,
  type CashfreeRefusal,
  readAadhaar,
  REFUSALS,
} from './cashfree-aadhaar.client.js';

const begun = z.object({ url: providerLink });
/** Codes of a used reference, with status 409; Cashfree documents the first one for DigiLocker, the others elsewhere. */
export const knownReference = z.object({
  code: z.enum([
    'verification_id_value_invalid',
    'verification_id_already_exists',
    'invalid_verification_id',
  ]),
});

const status = z.object({
  status: z.enum(['PENDING', 'AUTHENTICATED', 'EXPIRED', 'CONSENT_DENIED']),
  // only the phone is read; without one in this form the answer counts as usual
  user_details: z.object({ mobile: tenDigitPhone }).optional().catch(undefined),
});

/** Cashfree's DigiLocker calls, in Cashfree's terms. `verification_id` is our reference. */
export class CashfreeLockerClient {
  readonly client;

  constructor(client: ProviderClient) {
    this.client = client.forOperations('open', 'outcome', 'read-aadhaar');
  }

  /** Undefined if the reference exists already: Cashfree does not return its link again. */
  async begin(verificationId: string, redirectUrl: string): Promise<string | undefined> {
    const answer = await this.client.call({
      operation: 'open',
      path: '/digilocker',
      body: {
        verification_id: verificationId,
        document_requested: ['AADHAAR'],
        redirect_url: redirectUrl,
        // the page lets people without an account register
        user_flow: 'signup',
      },
      answers: { 200: begun, 409: knownReference },
    });
    return answer.status === 409 ? undefined : answer.body.url;
  }

  async status(verificationId: string): Promise<z.output<typeof status> | CashfreeRefusal> {
    const answer = await this.client.call({
      operation: 'outcome',
      path: `/digilocker?verification_id=${encodeURIComponent(verificationId)}`,
      answers: { 200: status, ...REFUSALS },
    });
    return answer.body;
  }

  async aadhaar(verificationId: string): Promise<CashfreeAadhaar> {
    return readAadhaar(this.client, { verification_id: verificationId });
  }
}
