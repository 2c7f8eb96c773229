import type { LoginPayload } from '@fd/contracts';
import type { ApiClient } from '@fd/testing';
import { aPhone, codeOf } from './inbox.js';
import type { TestService } from './users-app.js';

export interface LoggedIn extends LoginPayload {
  readonly phone: string;
}

export const verifyBody = (phone: string, otp: string, partnerUrl = 'https://app.partner.example') => ({
  phone,
  otp,
  partner_url: partnerUrl,
  consent: true,
});

/** Logs a phone in over HTTP, as a person would. */
export async function logIn(service: Pick<TestService, 'api'>, phone = aPhone()): Promise<LoggedIn> {
  const sent = await service.api.post('/auth/register', { phone });
  if (sent.status !== 201) throw new Error(`register answered ${sent.status}`);
  const verified = await service.api.post(
    '/auth/api/v2/register/verify',
    verifyBody(phone, await codeOf(phone)),
  );
  if (verified.status !== 200)
    throw new Error(`verify answered ${verified.status}: ${JSON.stringify(verified.body)}`);
  return { ...(verified.body as { payload: LoginPayload }).payload, phone };
}

/** The API as a logged-in user calls it. */
export const as = (api: ApiClient, { access_token }: { access_token: string }): ApiClient =>
  api.with({ bearer: access_token });
