import type { LoginPayload } from '@fd/contracts';
import type { ApiClient } from '@fd/testing';
import type { Response } from 'supertest';
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
export async function logIn({ api }: Pick<TestService, 'api'>, phone = aPhone()): Promise<LoggedIn> {
  await accepted(201, () => api.post('/auth/register', { phone }));
  const code = await codeOf(phone);
  const { body } = await accepted(200, () =>
    api.post('/auth/api/v2/register/verify', verifyBody(phone, code)),
  );
  return { ...(body as { payload: LoginPayload }).payload, phone };
}

const MAX_CALLS = 5;

/** Whoever is told that the service is busy, as a machine under test may make it, calls again. */
async function accepted(status: number, call: () => Promise<Response>): Promise<Response> {
  for (let calls = 1; ; calls++) {
    const response = await call();
    if (response.status === status) return response;
    if (response.status !== 503 || calls === MAX_CALLS)
      throw new Error(`login answered ${response.status}: ${JSON.stringify(response.body)}`);
  }
}

/** The API as a logged-in user calls it. */
export const as = (api: ApiClient, { access_token }: { access_token: string }): ApiClient =>
  api.with({ bearer: access_token });
