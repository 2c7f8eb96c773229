import type { BankVerificationPayload } from '@fd/contracts';
import { type ApiClient, type CallOptions, eventually } from '@fd/testing';
import { Registry } from 'prom-client';
import type { Response } from 'supertest';
import { DurableCalls } from '../../src/core/jobs/durable-calls.service.js';
import { anAccount } from './issuers.js';
import type { UsersApp } from './users-app.js';

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

/** Hands what requests have left of a user's accounts over to the worker, which otherwise takes it some seconds later. */
export async function handOverToBankWorker({ dataSource }: UsersApp, userId: string): Promise<void> {
  await dataSource.query(
    `WITH accounts AS (
       UPDATE onboarding.bank_accounts SET next_try_at = now()
        WHERE user_id = $1 AND next_try_at BETWEEN now() AND now() + interval '1 minute')
     UPDATE onboarding.bank_syncs s SET next_try_at = now() FROM onboarding.bank_accounts a
      WHERE a.id = s.account_id AND a.user_id = $1
        AND s.next_try_at BETWEEN now() AND now() + interval '1 minute'`,
    [userId],
  );
}

/** Keeps the worker from all verifications until it is released. Before the account is given: the bank takes five seconds by itself. */
export function stopBankWorker({ app }: UsersApp): () => void {
  const calls = app.get(DurableCalls);
  const advanceDue = calls.advanceDue.bind(calls);
  const stopped = jest.spyOn(calls, 'advanceDue').mockImplementation(async (call) => {
    if (call.name !== 'bank') await advanceDue(call);
  });
  return () => stopped.mockRestore();
}

/** Keeps the worker from a user's accepted verifications until `handOverToBankWorker`, however long the test's calls take. */
export const holdBankWorker = ({ dataSource }: UsersApp, userId: string): Promise<unknown> =>
  dataSource.query(
    `UPDATE onboarding.bank_accounts SET next_try_at = now() + interval '50 seconds'
      WHERE user_id = $1 AND state = 'PROCESSING'`,
    [userId],
  );

/** Waits until the worker could have taken every registration of a user's accounts, if they are ready for it. */
export async function afterBankWorker(service: UsersApp, userId: string): Promise<void> {
  const { app } = service;
  await handOverToBankWorker(service, userId);
  const rounds = async (): Promise<number> => {
    const series = await app.get(Registry).getSingleMetricAsString('background_round_duration_seconds');
    return Number(/_count\{work="bank",outcome="ok"\} (\d+)/.exec(series)?.[1]);
  };
  const before = await rounds();
  // the next one to end may have begun before
  await eventually(async () => expect(await rounds()).toBeGreaterThanOrEqual(before + 2));
}

/** The outcome of a call; a request that takes too long leaves the rest to the worker. */
export async function endOf(api: ApiClient, response: Response): Promise<BankVerificationPayload> {
  if (response.status !== 202) return payloadOf(response);
  const { verification_id, issuer_code } = payloadOf(response);
  return eventually(async () => {
    const polled = await getVerification(
      api,
      verification_id,
      issuer_code === null ? undefined : { issuer_code },
    );
    expect(polled.status).toBe(200);
    return payloadOf(polled);
  });
}

/** Verifies an account for the calling user, and registers it if this call or an earlier one named an issuer. */
export async function verifyBank(
  api: ApiClient,
  overrides: object = {},
): Promise<BankVerificationPayload & { readonly number: string }> {
  const body = bankBody(overrides);
  const response = await postBank(api, body);
  if (![200, 202].includes(response.status)) {
    throw new Error(`sync-to-issuer answered ${response.status}: ${JSON.stringify(response.body)}`);
  }
  return { ...(await endOf(api, response)), number: body.account };
}
