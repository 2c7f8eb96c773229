import type { LoginPayload, TokenPayload } from '@fd/contracts';
import { type ApiClient, repeatUntilServed } from '@fd/testing';
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

/** Logs a phone in over HTTP, in the app of the service's partner unless another one is given. */
export async function logIn(
  { api }: Pick<TestService, 'api'>,
  phone = aPhone(),
  partnerUrl?: string,
): Promise<LoggedIn> {
  await accepted(201, () => api.post('/auth/register', { phone }));
  const code = await codeOf(phone);
  const { body } = await accepted(200, () =>
    api.post('/auth/api/v2/register/verify', verifyBody(phone, code, partnerUrl)),
  );
  return { ...(body as { payload: LoginPayload }).payload, phone };
}

/** Refreshes the tokens of a user, as a client does when the access token has expired. */
export async function renewed({ api }: Pick<TestService, 'api'>, user: LoggedIn): Promise<LoggedIn> {
  const { refresh_token } = user;
  const { body } = await accepted(200, () => api.post('/auth/api/v2/token/refresh', { refresh_token }));
  return { ...user, ...(body as { payload: TokenPayload }).payload };
}

async function accepted(status: number, call: () => Promise<Response>): Promise<Response> {
  const response = await repeatUntilServed(call);
  if (response.status === status) return response;
  throw new Error(`login answered ${response.status}: ${JSON.stringify(response.body)}`);
}

/** Returns the API as a logged-in user calls it. */
export const as = (api: ApiClient, { access_token }: { access_token: string }): ApiClient =>
  api.with({ bearer: access_token });
