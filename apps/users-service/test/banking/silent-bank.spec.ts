import { BankErrors } from '@fd/errors';
import { expectRefusal } from '@fd/testing';
import { bankBody, postBank } from '../support/bank.js';
import {
  bankSettings,
  completed,
  expectFailingBank,
  expectFailingIssuer,
  keysOf,
  valid,
} from '../support/bank-faults.js';
import { as, logIn } from '../support/login.js';
import { answersJson, BEHAVIOURS, type Behaviour, SHORT_WAIT } from '../support/scripted-provider.js';
import { startService, type TestService } from '../support/users-app.js';
import { withProvider } from '../support/with-own.js';

describe('failing bank or issuer of the sandbox', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService({});
  });
  afterAll(() => service.close());

  it.concurrent.each([['hangs', '504']] as const)(
    'answers 503 with Retry-After when the bank %s, and verifies other accounts',
    async (_name, ending) => expectFailingBank(service, await service.replica(SHORT_WAIT), ending),
  );

  it.concurrent.each([['aravalli', 'hangs', '2404']] as const)(
    'answers 503 when %s %s, and keeps the account verified',
    (slug, _name, ending) => expectFailingIssuer(service, slug, ending),
  );
});

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
