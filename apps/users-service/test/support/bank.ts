import type { BankVerificationPayload } from '@fd/contracts';
import type { ApiClient, CallOptions } from '@fd/testing';
import type { Response } from 'supertest';
import { anAccount } from './issuers.js';

export const BANK_PATH = '/api/v1/bank/sync-to-issuer';

export const HOLDER = 'Asha Kumari Rao';

/** A body for which the sandbox's bank knows the holder; the account may be special to it. */
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

/** Verifies an account for the user who calls, and has it registered when an issuer is named or was before. */
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
