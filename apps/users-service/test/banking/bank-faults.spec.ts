import { BankErrors, GeneralErrors, IssuerErrors } from '@fd/errors';
import { expectRefusal, inParallel } from '@fd/testing';
import {
  bankSettings,
  completed,
  expectFailingBank,
  expectFailingIssuer,
  keysOf,
  valid,
} from '../support/bank-faults.js';
import { bankBody, HOLDER, payloadOf, postBank } from '../support/bank.js';
import { anAccount } from '../support/issuers.js';
import { as, logIn } from '../support/login.js';
import { knownAs } from '../support/pan.js';
import {
  answersJson,
  type Behaviour,
  BEHAVIOURS,
  ScriptedProvider,
  SHORT_WAIT,
} from '../support/scripted-provider.js';
import { startService, type TestService } from '../support/users-app.js';
import { withProvider } from '../support/with-own.js';

const REQUEST_ID = '0198c0de-1a2b-7c3d-8e4f-00000000000a';

describe('failing bank or issuer of the sandbox', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService({});
  });
  afterAll(() => service.close());

  const TROUBLE = [
    ['is down', '503'],
    ['fails', '500'],
    ['answers a web page', '502'],
  ] as const;

  it.concurrent.each(TROUBLE)(
    'answers 503 with Retry-After when the bank %s, and verifies other accounts',
    (_name, ending) => expectFailingBank(service, service, ending),
  );

  it.concurrent.each([
    ['aravalli', 'is down', '2403'],
    ['kaveri', 'fails', '2405'],
    ['kaveri', 'answers a web page', '2402'],
  ] as const)('answers 503 when %s %s, and keeps the account verified', (slug, _name, ending) =>
    expectFailingIssuer(service, slug, ending),
  );

  it.concurrent('answers 503 to all concurrent calls for an account when the bank is down', async () => {
    const user = await logIn(service);
    const body = bankBody({ account: anAccount('0503') });
    const responses = await inParallel(3, () => postBank(as(service.api, user), body));
    for (const response of responses) expectRefusal(response, BankErrors.unavailable);
  });
});

describe('bank provider', () => {
  let service: TestService;
  let bank: ScriptedProvider;
  beforeAll(async () => {
    bank = await ScriptedProvider.start();
    service = await startService(bankSettings(bank.url));
  });
  beforeEach(() => {
    bank.calls.length = 0;
  });
  afterAll(async () => {
    await service.close();
    await bank.stop();
  });

  it('verifies the account once the bank is back, with the first key and body', async () => {
    const api = as(service.api, await logIn(service));
    bank.behaviour = BEHAVIOURS.resets;
    const body = bankBody({ account_holder_full_name: 'Asha K Rao' });
    expectRefusal(await postBank(api, body), BankErrors.unavailable);
    bank.behaviour = answersJson(200, valid);
    const response = await postBank(api, { ...body, account_holder_full_name: 'Asha Kumari Rao' });
    expect(payloadOf(response)).toMatchObject({ is_bank_verified: true });
    expect(keysOf(bank).size).toBe(1);
    expect(new Set(bank.calls.map(({ body: sent }) => JSON.stringify(sent))).size).toBe(1);
  });

  it('answers 503 when the bank is unreachable', async () => {
    const away = await service.replica({ BANK_VERIFICATION_URL: 'http://127.0.0.1:1' });
    expectRefusal(await postBank(as(away.api, await logIn(service))), BankErrors.unavailable);
  });

  it('rejects the account field when the bank does not know the account', async () => {
    const api = as(service.api, await logIn(service));
    bank.behaviour = answersJson(200, completed('INVALID_ACCOUNT'));
    const response = await postBank(api, bankBody({ issuer_code: 'ARAVFIN' }));
    expectRefusal(response, GeneralErrors.fieldInvalid);
    expect((response.body as { error: object[] }).error).toMatchObject([{ f_error_reason: 'account' }]);
  });

  it('sends the bank the API key, request id and idempotency key, and only account, IFSC and holder', async () => {
    bank.behaviour = answersJson(200, valid);
    const body = bankBody();
    await as(service.api, await logIn(service)).post('/api/v1/bank/sync-to-issuer', body, {
      headers: { 'x-request-id': REQUEST_ID },
    });
    expect(bank.calls).toHaveLength(1);
    const { headers, body: sent } = bank.calls[0]!;
    expect(headers).toMatchObject({
      authorization: 'Bearer the-key',
      'x-request-id': REQUEST_ID,
      'idempotency-key': expect.any(String) as string,
    });
    expect(sent).toEqual({
      account_number: body.account,
      ifsc: body.ifsc,
      holder_name: body.account_holder_full_name,
    });
  });

  it('accepts a similar name at the bank, with a score below 100 and its band', async () => {
    bank.behaviour = answersJson(200, { ...valid, name_at_bank: 'A K RAO' });
    const { name_match: match, is_bank_verified } = payloadOf(
      await postBank(as(service.api, await logIn(service))),
    );
    expect(is_bank_verified).toBe(true);
    expect(match!.score).toBeLessThan(100);
    expect(match!.band).toBe(match!.score >= 85 ? 'STRONG' : 'REVIEW');
  });

  it('registers an account in review once the user sends a name that matches as a whole', async () => {
    bank.behaviour = answersJson(200, { ...valid, name_at_bank: 'ZUBIN MISTRY' });
    const user = await logIn(service);
    await knownAs(service, user.user_id, 'Zubin Mistry');
    const api = as(service.api, user);
    const body = bankBody({ account_holder_full_name: 'Zubin', issuer_code: 'ARAVFIN' });
    const first = await postBank(api, body);
    expect([first.status, payloadOf(first).is_synced]).toEqual([202, false]);
    const second = await postBank(api, { ...body, account_holder_full_name: 'Zubin Mistry' });
    expect([second.status, payloadOf(second).is_synced]).toEqual([200, true]);
  });
});

describe('failing bank or slow issuer, with a service for each test', () => {
  const issuerSettings = (url: string) => ({ ISSUER_API_URL: url });

  it.concurrent(
    'registers the account once the issuer is back, with the first key and the name at the bank',
    withProvider(issuerSettings, async ({ service, provider: issuer }) => {
      const user = await logIn(service);
      await knownAs(service, user.user_id, HOLDER);
      const api = as(service.api, user);
      const body = bankBody({ issuer_code: 'ARAVFIN' });
      issuer.behaviour = BEHAVIOURS.resets;
      expectRefusal(await postBank(api, body), IssuerErrors.unavailable);
      issuer.behaviour = answersJson(201, { beneficiary_id: 'b-1', state: 'ACTIVE' });
      expect(payloadOf(await postBank(api, body))).toMatchObject({
        is_synced: true,
        issuer_reference: 'b-1',
      });
      expect(keysOf(issuer).size).toBe(1);
      expect(issuer.calls.at(-1)!.body).toEqual({
        beneficiary_name: 'ASHA KUMARI RAO',
        account_no: body.account,
        ifsc: body.ifsc,
        customer_ref: user.user_id,
      });
    }),
  );
});

describe('silent bank of the sandbox', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService({});
  });
  afterAll(() => service.close());

  it.concurrent.each([['hangs', '504']] as const)(
    'answers 503 with Retry-After when the bank %s, and verifies other accounts',
    async (_name, ending) => expectFailingBank(service, await service.replica(SHORT_WAIT), ending),
  );
});

describe('silent or unusable bank, with a service for each test', () => {
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
