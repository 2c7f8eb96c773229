import type { BankVerificationPayload } from '@fd/contracts';
import type { ApiClient, CallOptions } from '@fd/testing';
import type { Response } from 'supertest';
import { anAccount } from './issuers.js';

export const BANK_PATH = '/api/v1/bank/sync-to-issuer';

export const HOLDER = 'Asha Kumari Rao';

/** Returns a body for an account whose holder the sandbox's bank knows; a magic account number changes the answer. */
export const bankBody = (overrides: object = {}) => ({
  account: anAccount(),
  ifsc: 'HDFC0001234',
  account_holder_full_name: HOLDER,
  ...overrides,
});

export const postBank = (
  api: ApiClient,
  body: object = bankBody(),
  query?: CallOptions['query'],
): Promise<Response> => api.post(BANK_PATH, body, query && { query });

export const getVerification = (
  api: ApiClient,
  id: string,
  query?: CallOptions['query'],
): Promise<Response> => api.get(`/api/v1/bank/verification/${id}`, query && { query });

export const payloadOf = ({ body }: Response): BankVerificationPayload =>
  (body as { payload: BankVerificationPayload }).payload;

/** Verifies an account for the calling user, and registers it if this call or an earlier one named an issuer. */
export async function verifyBank(
  api: ApiClient,
  overrides: object = {},
): Promise<BankVerificationPayload & { readonly number: string }> {
  const body = bankBody(overrides);
  const response = await postBank(api, body);
  if (response.status !== 200) {
    throw new Error(`sync-to-issuer answered ${response.status}: ${JSON.stringify(response.body)}`);
  }
  return { ...payloadOf(response), number: body.account };
}
