import { BankErrors, IssuerErrors } from '@fd/errors';
import { expectRefusal } from '@fd/testing';
import { bankBody, HOLDER, postBank } from './bank.js';
import { effectsOf } from './effects.js';
import { anAccount, ISSUER_CODES, type IssuerSlug } from './issuers.js';
import { as, logIn } from './login.js';
import { knownAs } from './pan.js';
import type { ScriptedProvider } from './scripted-provider.js';
import type { TestService, UsersApp } from './users-app.js';

export const bankSettings = (url: string) => ({
  BANK_VERIFICATION_URL: url,
  BANK_VERIFICATION_API_KEY: 'the-key',
});

/** The bank's answer about an account. */
export const completed = (result: string, more: object = {}) => ({
  verification_id: 'v-1',
  status: 'COMPLETED',
  result,
  name_at_bank: null,
  bank_name: 'HDFC Bank',
  ...more,
});
export const valid = completed('VALID', { name_at_bank: 'ASHA KUMARI RAO' });

/** Idempotency keys that the provider has received. */
export const keysOf = ({ calls }: ScriptedProvider) =>
  new Set(calls.map(({ headers }) => headers['idempotency-key']));

/** Expects 503 for an account for which the sandbox's bank fails, at the replica ASKED, and 200 for another one. */
export async function expectFailingBank(
  service: TestService,
  asked: UsersApp,
  ending: string,
): Promise<void> {
  const user = await logIn(service);
  const account = anAccount(`0${ending}`);
  const response = await postBank(as(asked.api, user), bankBody({ account, issuer_code: 'ARAVFIN' }));
  expectRefusal(response, BankErrors.unavailable);
  expect(Number(response.headers['retry-after'])).toBeGreaterThan(0);
  expect((await postBank(as(service.api, user), bankBody())).status).toBe(200);
}

/** Expects 503 for an account for which an issuer of the sandbox fails, after one verification that stays. */
export async function expectFailingIssuer(
  service: TestService,
  slug: IssuerSlug,
  ending: string,
): Promise<void> {
  const user = await logIn(service);
  await knownAs(service, user.user_id, HOLDER);
  const api = as(service.api, user);
  const body = bankBody({ account: anAccount(ending), issuer_code: ISSUER_CODES[slug] });
  expectRefusal(await postBank(api, body), IssuerErrors.unavailable);
  expectRefusal(await postBank(api, body), IssuerErrors.unavailable);
  expect(await effectsOf('bank', body.account)).toMatchObject([{ calls: 1 }]);
  const { body: profile } = await api.get('/api/v1/user-profile');
  expect((profile as { payload: object }).payload).toMatchObject({ is_bank_verified: true });
}
