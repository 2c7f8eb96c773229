import type { LeadPayload } from '@fd/contracts';
import type { ApiClient } from '@fd/testing';
import { JourneyRepository } from '../../src/journey/steps/journey.repository.js';
import type { StepStates } from '../../src/journey/steps/journey.table.js';
import { issuerPath } from './issuers.js';
import type { UsersApp } from './users-app.js';

export const LEAD_PATH = issuerPath('sahyadri', 'v1/lead');
export const KYC_CONTEXT_PATH = issuerPath('sahyadri', 'v1/kyc-context');
export const FD_INFO = { amount: 50_000, tenure: 365, payout_frequency: 'Maturity' };

/** Returns the caller's lead with Sahyadri; opens it if needed. */
export async function openLead(api: ApiClient, body: object = {}): Promise<LeadPayload> {
  const response = await api.post(LEAD_PATH, body);
  if (![200, 201].includes(response.status)) {
    throw new Error(`lead answered ${response.status}: ${JSON.stringify(response.body)}`);
  }
  return (response.body as { payload: LeadPayload }).payload;
}

/** Makes the next call ask the issuer again whether the lead is open. */
export async function forgetConfirmation(
  { dataSource }: UsersApp,
  { lead_id }: Pick<LeadPayload, 'lead_id'>,
): Promise<void> {
  await dataSource.query(
    `UPDATE onboarding.leads SET updated_at = now() - interval '1 minute' WHERE id = $1`,
    [lead_id],
  );
}

/** Returns the stored leads of a user, oldest first. */
export function leadRows(
  { dataSource }: UsersApp,
  { user_id }: { user_id: string },
): Promise<Record<string, unknown>[]> {
  return dataSource.query(
    'SELECT *, amount::text FROM onboarding.leads WHERE user_id = $1 ORDER BY created_at',
    [user_id],
  );
}

/** Returns the stored journey steps of a user with Sahyadri. */
export function leadSteps({ app }: UsersApp, { user_id }: { user_id: string }): Promise<StepStates> {
  return app.get(JourneyRepository).statesOf(user_id, 'sahyadri');
}
