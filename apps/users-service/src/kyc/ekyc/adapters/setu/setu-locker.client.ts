import { z } from 'zod';
import {
  type ProviderClient,
  providerId,
  providerLink,
  providerName,
} from '../../../../integrations/index.js';
import { birth, maskedAadhaar, MAX_DOCUMENT_BYTES } from '../document-person.js';

const begun = z.object({
  id: providerId,
  url: providerLink,
  validUpto: z.iso.datetime({ offset: true }).transform((text) => new Date(text)),
});

const status = z.object({ status: z.enum(['unauthenticated', 'authenticated', 'revoked']) });

const document = z.object({
  aadhaar: z.object({ name: providerName, dateOfBirth: birth, maskedNumber: maskedAadhaar }),
});

/** An error code that is a verdict about the person. */
const verdict = <Code extends string>(...codes: readonly [Code, ...Code[]]) =>
  z.object({ error: z.object({ code: z.enum(codes) }) });

const missing = verdict('aadhaar_not_linked', 'aadhaar_not_available');
const forgotten = verdict('request_not_found');
/** The permission of this person at DigiLocker, with whatever status: 401 and 403 with any other code refuse our key. */
const permission = verdict(
  'user_not_authenticated',
  'user_consent_not_given',
  'consent_not_given',
  'token_revoked',
  'invalid_token',
  'invalid_grant',
);
const unread = z.union([missing, forgotten, permission]);

/** Setu's DigiLocker calls, in Setu's terms. */
export class SetuLockerClient {
  readonly client;

  constructor(client: ProviderClient) {
    this.client = client.forOperations('open', 'outcome', 'read-aadhaar');
  }

  /** `POST /api/digilocker/`. Setu accepts no reference of ours: a second call opens another request. */
  async begin(redirectUrl: string): Promise<z.output<typeof begun>> {
    const { body } = await this.client.call({
      operation: 'open',
      method: 'POST',
      path: '/api/digilocker/',
      body: { redirectUrl },
      isRepeatable: false,
      answers: { 200: begun, 201: begun },
    });
    return body;
  }

  /** Undefined for an unknown or expired request. */
  async status(id: string): Promise<z.output<typeof status>['status'] | undefined> {
    const answer = await this.client.call({
      operation: 'outcome',
      method: 'GET',
      path: `/api/digilocker/${encodeURIComponent(id)}/status`,
      isRepeatable: true,
      answers: { 200: status, 404: forgotten },
    });
    return answer.status === 404 ? undefined : answer.body.status;
  }

  /** Reads the Aadhaar and drops its photo and signed file. */
  async aadhaar(id: string): Promise<z.output<typeof document | typeof unread>> {
    const { body } = await this.client.call({
      operation: 'read-aadhaar',
      method: 'GET',
      path: `/api/digilocker/${encodeURIComponent(id)}/aadhaar`,
      // the worker asks again
      isRepeatable: false,
      maxAnswerBytes: MAX_DOCUMENT_BYTES,
      answers: { 200: document, 400: unread, 401: unread, 403: unread, 404: unread },
    });
    return body;
  }
}
