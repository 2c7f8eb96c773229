import type { EkycStatusPayload } from '@fd/contracts';
import type { Environment } from '@fd/platform';
import type { ApiClient } from '@fd/testing';
import type { Response } from 'supertest';
import { issuerPath } from './issuers.js';
import { sandboxUrl } from './sandbox.config.js';
import { vendorSettings } from './settings.js';

/** @param order of the providers, all played by the sandbox */
export const over = (order: string, changes: Environment = {}): Environment => ({
  ...vendorSettings(sandboxUrl()),
  EKYC_PROVIDERS: order,
  ...changes,
});

export const tryCheck = (me: ApiClient, slug = 'aravalli', body: object = {}): Promise<Response> =>
  me.post(issuerPath(slug, 'v3/check-status'), body);

/** Returns the state of the eKYC, which this call opens or polls. */
export async function check(me: ApiClient, slug?: string, sent?: object): Promise<EkycStatusPayload> {
  const { status, body } = await tryCheck(me, slug, sent);
  expect([status, body.success]).toEqual([200, 1]);
  return body.payload as EkycStatusPayload;
}

/** Returns the step of the eKYC in the calling user's journey. */
export async function stepOf(
  me: ApiClient,
  slug = 'aravalli',
): Promise<{ status: string; reason: string | null }> {
  const { body } = await me.get(issuerPath(slug, 'v1/journey'));
  const steps = body.payload.steps as { step: string; status: string; reason: string | null }[];
  return steps.find(({ step }) => step === 'EKYC')!;
}
