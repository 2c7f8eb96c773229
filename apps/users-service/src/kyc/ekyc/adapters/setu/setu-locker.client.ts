import { z } from 'zod';
import {
  type ProviderClient,
  providerId,
  providerLink,
  providerName,
} from '../../../../integrations/index.js';
import { birth, maskedAadhaar, MAX_DOCUMENT_BYTES, tenDigitPhone } from '../document-person.js';

const begun = z.object({
  id: providerId,
  url: providerLink,
  validUpto: z.iso.datetime({ offset: true }).transform((text) => new Date(text)),
});

const status = z.object({
  status: z.enum(['unauthenticated', 'authenticated', 'revoked']),
  // only the phone is read; without one in this form the answer counts as usual
  digilockerUserDetails: z.object({ phoneNumber: tenDigitPhone }).optional().catch(undefined),
});

const document = z.object({
  aadhaar: z.object({ name: providerName, dateOfBirth: birth, maskedNumber: maskedAadhaar }),
});

/**
 * Setu's codes about a person: their request, consent or token at DigiLocker, or their Aadhaar. With 401 or 403 too they
 * do not refuse our key, which any other code does.
 */
const refusal = z.object({
  error: z.object({
    code: z.enum([
      'aadhaar_not_available',
      'aadhaar_not_linked',
      'consent_not_given',
      'customer_detail_mismatch',
      'get_xml_failed',
      'invalid_grant',
      'invalid_token',
      'request_not_found',
      'token_revoked',
      'unwrap_aadhaar_failed',
      'user_consent_not_given',
      'user_not_authenticated',
    ]),
  }),
});
type SetuRefusal = z.output<typeof refusal>['error']['code'];

const REFUSALS = { 400: refusal, 401: refusal, 403: refusal, 404: refusal, 422: refusal } as const;

/** Setu's DigiLocker calls, in Setu's terms. */
export class SetuLockerClient {
  readonly client;

  constructor(client: ProviderClient) {
    this.client = client.forOperations('open', 'outcome', 'read-aadhaar');
  }

  /** Setu accepts no reference of ours: a second call opens another request. */
  async begin(redirectUrl: string): Promise<z.output<typeof begun>> {
    const { body } = await this.client.call({
      operation: 'open',
      path: '/api/digilocker/',
      body: { redirectUrl },
      answers: { 200: begun, 201: begun },
    });
    return body;
  }

  async status(id: string): Promise<z.output<typeof status> | SetuRefusal> {
    const answer = await this.client.call({
      operation: 'outcome',
      path: `/api/digilocker/${encodeURIComponent(id)}/status`,
      answers: { 200: status, ...REFUSALS },
    });
    return answer.status === 200 ? answer.body : answer.body.error.code;
  }

  /** Reads the Aadhaar and drops its photo and signed file. */
  async aadhaar(id: string): Promise<z.output<typeof document>['aadhaar'] | SetuRefusal> {
    const answer = await this.client.call({
      operation: 'read-aadhaar',
      path: `/api/digilocker/${encodeURIComponent(id)}/aadhaar`,
      // the worker asks again
      isRepeatable: false,
      maxAnswerBytes: MAX_DOCUMENT_BYTES,
      answers: { 200: document, ...REFUSALS },
    });
    return answer.status === 200 ? answer.body.aadhaar : answer.body.error.code;
  }
}
