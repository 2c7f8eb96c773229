import { BankErrors, IssuerErrors } from '@fd/errors';
import { expectRefusal } from '@fd/testing';
import { bankBody, HOLDER, postBank } from '../support/bank.js';
import { effectsOf } from '../support/effects.js';
import { anAccount, ISSUER_CODES } from '../support/issuers.js';
import { as, logIn } from '../support/login.js';
import { knownAs } from '../support/pan.js';
import {
  answersJson,
  BEHAVIOURS,
  type Behaviour,
  type ScriptedProvider,
  SHORT_WAIT,
} from '../support/scripted-provider.js';
import { startService, type TestService } from '../support/users-app.js';
import { withProvider } from '../support/with-own.js';

const completed = (result: string, more: object = {}) => ({
  verification_id: 'v-1',
  status: 'COMPLETED',
  result,
  name_at_bank: null,
  bank_name: 'HDFC Bank',
  ...more,
});
const valid = completed('VALID', { name_at_bank: 'ASHA KUMARI RAO' });

/** Idempotency keys that the provider has received. */
const keysOf = ({ calls }: ScriptedProvider) =>
  new Set(calls.map(({ headers }) => headers['idempotency-key']));

describe('failing bank or issuer of the sandbox', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService({});
  });
  afterAll(() => service.close());

  it.concurrent.each([['hangs', '504']] as const)(
    'answers 503 with Retry-After when the bank %s, and verifies other accounts',
    async (_name, ending) => {
      const user = await logIn(service);
      const api = as(service.api, user);
      const hasty = await service.replica(SHORT_WAIT);
      const response = await postBank(
        as(hasty.api, user),
        bankBody({ account: anAccount(`0${ending}`), issuer_code: 'ARAVFIN' }),
      );
      expectRefusal(response, BankErrors.unavailable);
      expect(Number(response.headers['retry-after'])).toBeGreaterThan(0);
      expect((await postBank(api, bankBody())).status).toBe(200);
    },
  );

  it.concurrent.each([['aravalli', 'hangs', '2404']] as const)(
    'answers 503 when %s %s, and keeps the account verified',
    async (slug, _name, ending) => {
      const user = await logIn(service);
      await knownAs(service, user.user_id, HOLDER);
      const api = as(service.api, user);
      const body = bankBody({ account: anAccount(ending), issuer_code: ISSUER_CODES[slug] });
      expectRefusal(await postBank(api, body), IssuerErrors.unavailable);
      expectRefusal(await postBank(api, body), IssuerErrors.unavailable);
      expect(await effectsOf('bank', body.account)).toMatchObject([{ calls: 1 }]);
      const { body: profile } = await api.get('/api/v1/user-profile');
      expect((profile as { payload: object }).payload).toMatchObject({ is_bank_verified: true });
    },
  );
});

const bankSettings = (url: string) => ({ BANK_VERIFICATION_URL: url, BANK_VERIFICATION_API_KEY: 'the-key' });

describe('failing bank or slow issuer, with a service for each test', () => {
  const unusable: Record<string, Behaviour> = {
    answersEmptyObject: answersJson(200, {}),
    answersAnotherResult: answersJson(200, completed('DORMANT')),
    answersNoName: answersJson(200, { ...valid, name_at_bank: undefined }),
    answersBlankName: answersJson(200, { ...valid, name_at_bank: ' ' }),
    answersHugeName: answersJson(200, { ...valid, name_at_bank: 'A'.repeat(300) }),
    answersNulInName: answersJson(200, { ...valid, name_at_bank: 'ASHA\u0000RAO' }),
    answersNulInBank: answersJson(200, { ...valid, bank_name: 'A\u0000B' }),
    answersNoBank: answersJson(200, { ...valid, bank_name: null }),
    answersProcessingWithoutReceipt: answersJson(202, { status: 'PROCESSING' }),
    answersForbidden: answersJson(403, {}),
  };

  /** A refused key opens the circuit. */
  const { rejectsKey, ...misbehaves } = BEHAVIOURS;

  // few enough failures, at two tries each, that the circuit breakers of their own services stay closed
  it.concurrent.each<[string, [string, Behaviour][]]>([
    [
      'refuses, fails, hangs or answers a web page',
      [...Object.entries(misbehaves).slice(0, 6), ['rejectsKey', rejectsKey]],
    ],
    ['sends an empty, incomplete, huge or redirecting response', Object.entries(misbehaves).slice(6)],
    ['sends an unusable result', Object.entries(unusable)],
  ])(
    'answers 503 when the bank %s, and keeps the idempotency key for the next call',
    withProvider(bankSettings, async (own, _name: string, faults: [string, Behaviour][]) => {
      const { service, provider: bank } = own;
      const user = await logIn(service);
      const hasty = await service.replica(SHORT_WAIT);
      const body = bankBody();
      for (const [name, behaviour] of faults) {
        bank.behaviour = behaviour;
        const { api } = name === 'hangs' || name === 'drips' ? hasty : service;
        const response = await postBank(as(api, user), body);
        expect({ name, status: response.status }).toEqual({ name, status: 503 });
        expectRefusal(response, BankErrors.unavailable);
      }
      expect(keysOf(bank).size).toBe(1);
    }),
  );
});
