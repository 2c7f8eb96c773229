import { BankErrors, type ErrorDefinition, GeneralErrors, IssuerErrors } from '@fd/errors';
import { REDIS } from '@fd/platform';
import { eventually, expectRefusal, inParallel, recordEvidence, TcpProxy } from '@fd/testing';
import type { Redis } from 'ioredis';
import { Jobs } from '../../src/core/index.js';
import {
  bankSettings,
  completed,
  expectFailingBank,
  expectFailingIssuer,
  keysOf,
  valid,
} from '../support/bank-faults.js';
import {
  BANK_PATH,
  bankBody,
  endOf,
  getVerification,
  handOverToBankWorker,
  HOLDER,
  payloadOf,
  postBank,
} from '../support/bank.js';
import { effectsOf } from '../support/effects.js';
import { anAccount, ISSUER_CODES, ISSUER_SLUGS } from '../support/issuers.js';
import { as, logIn } from '../support/login.js';
import { knownAs } from '../support/pan.js';
import {
  answersJson,
  type Behaviour,
  BEHAVIOURS,
  ScriptedProvider,
  SHORT_WAIT,
} from '../support/scripted-provider.js';
import { startService, type TestService, type UsersApp } from '../support/users-app.js';
import { withProvider } from '../support/with-own.js';

interface Refusal {
  readonly error: readonly { readonly errorCode: string }[];
}

const codesOf = ({ error }: Refusal): string[] => (error ?? []).map(({ errorCode }) => errorCode);

describe('input of POST /api/v1/bank/sync-to-issuer', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());

  const newUser = async () => as(service.api, await logIn(service));

  const good = bankBody();
  const invalid: [string, object, ErrorDefinition][] = [
    ['account left out', { ...good, account: undefined }, BankErrors.fieldMissing],
    ['account null', { ...good, account: null }, BankErrors.fieldMissing],
    ['account empty', { ...good, account: '' }, BankErrors.fieldMissing],
    ['account of 8 digits', { ...good, account: '12345678' }, BankErrors.accountInvalid],
    ['account of 19 digits', { ...good, account: '1234567890123456789' }, BankErrors.accountInvalid],
    ['account with letters', { ...good, account: '12345678A' }, BankErrors.accountInvalid],
    ['account with spaces', { ...good, account: ' 123456789' }, BankErrors.accountInvalid],
    ['account a number', { ...good, account: 123456789 }, BankErrors.accountInvalid],
    ['account a list', { ...good, account: ['123456789'] }, BankErrors.accountInvalid],
    ['account in digits of another script', { ...good, account: '१२३४५६७८९' }, BankErrors.accountInvalid],
    ['account an object', { ...good, account: {} }, BankErrors.accountInvalid],
    ['ifsc left out', { ...good, ifsc: undefined }, BankErrors.fieldMissing],
    ['ifsc null', { ...good, ifsc: null }, BankErrors.fieldMissing],
    ['ifsc empty', { ...good, ifsc: '' }, BankErrors.fieldMissing],
    ['ifsc without its zero', { ...good, ifsc: 'HDFC1001234' }, BankErrors.ifscInvalid],
    ['ifsc in lower case', { ...good, ifsc: 'hdfc0001234' }, BankErrors.ifscInvalid],
    ['ifsc too short', { ...good, ifsc: 'HDFC000123' }, BankErrors.ifscInvalid],
    ['ifsc with a space behind it', { ...good, ifsc: 'HDFC0001234 ' }, BankErrors.ifscInvalid],
    ['ifsc true', { ...good, ifsc: true }, BankErrors.ifscInvalid],
    ['a digit in the full name', { ...good, account_holder_full_name: 'A5ha' }, BankErrors.fullNameInvalid],
    ['a digit of another script', { ...good, account_holder_full_name: 'आशा५' }, BankErrors.fullNameInvalid],
    ['full name a number', { ...good, account_holder_full_name: 5 }, BankErrors.fullNameInvalid],
    ['full name a list', { ...good, account_holder_full_name: ['Asha'] }, BankErrors.fullNameInvalid],
    [
      'full name too long',
      { ...good, account_holder_full_name: 'a'.repeat(201) },
      GeneralErrors.fieldInvalid,
    ],
    [
      'full name that cannot be printed',
      { ...good, account_holder_full_name: 'A\u0000' },
      GeneralErrors.fieldInvalid,
    ],
    ['a sign in the first name', { ...good, account_holder_first_name: 'As#a' }, BankErrors.firstNameInvalid],
    [
      'a digit in the first name',
      { ...good, account_holder_first_name: 'A5ha' },
      BankErrors.firstNameInvalid,
    ],
    ['first name an object', { ...good, account_holder_first_name: {} }, BankErrors.firstNameInvalid],
    [
      'first name too long',
      { ...good, account_holder_first_name: 'a'.repeat(201) },
      GeneralErrors.fieldInvalid,
    ],
    ['last name a number', { ...good, account_holder_last_name: 5 }, GeneralErrors.fieldInvalid],
    [
      'last name too long',
      { ...good, account_holder_last_name: 'a'.repeat(201) },
      GeneralErrors.fieldInvalid,
    ],
    ['issuer unknown', { ...good, issuer_code: 'NOBANK' }, IssuerErrors.unknown],
    ['issuer a number', { ...good, issuer_code: 5 }, IssuerErrors.unknown],
  ];

  it('rejects each invalid field with its own error, and does not count the call', async () => {
    const api = await newUser();
    for (const [name, body, error] of invalid) {
      const response = await postBank(api, body);
      expect({ name, codes: codesOf(response.body as Refusal) }).toEqual({ name, codes: [error.code] });
      expectRefusal(response, error);
    }
    // more calls than the limit of a minute, and the next one is still accepted
    expect(invalid.length).toBeGreaterThan(30);
    expect(payloadOf(await postBank(api, good))).toMatchObject({ is_bank_verified: true });
  });

  it('names each invalid field, in the order of the contract', async () => {
    const { body } = await postBank(await newUser(), {
      ...good,
      ifsc: '1',
      account: '1',
      account_holder_last_name: 5,
    });
    expect((body as { error: object[] }).error).toEqual([
      expect.objectContaining({ field: 'account', errorCode: BankErrors.accountInvalid.code }),
      expect.objectContaining({ field: 'ifsc', errorCode: BankErrors.ifscInvalid.code }),
      expect.objectContaining({
        field: 'account_holder_last_name',
        errorCode: GeneralErrors.fieldInvalid.code,
      }),
    ]);
  });

  it.each([
    ['a digit', 'A5ha', BankErrors.fullNameInvalid],
    ['two values', ['Asha', 'Rao'], BankErrors.fullNameInvalid],
    ['more than 200 characters', 'a'.repeat(201), GeneralErrors.fieldInvalid],
  ] as const)('rejects an account holder name in the query with %s', async (_name, given, error) => {
    const api = await newUser();
    const body = bankBody({ account_holder_full_name: null });
    expectRefusal(await postBank(api, body, { account_holder_name: given as string }), error);
  });

  it('ignores unknown fields', async () => {
    const api = await newUser();
    expect(payloadOf(await postBank(api, bankBody({ colour: 'red' })))).toMatchObject({
      is_bank_verified: true,
    });
  });

  describe('request body', () => {
    it.each([
      ['no media type', undefined],
      ['media type application/json', 'application/json'],
      ['media type text/plain', 'text/plain'],
    ])('reports the missing account and IFSC when a call has no body and %s', async (_name, type) => {
      const api = await newUser();
      const response = await api.raw('post', BANK_PATH, undefined, type);
      expectRefusal(response, BankErrors.fieldMissing, BankErrors.fieldMissing);
    });

    it('answers 400 to a body of another media type and to malformed JSON', async () => {
      const api = await newUser();
      expectRefusal(await api.raw('post', BANK_PATH, '{}', 'text/plain'), GeneralErrors.requestUnreadable);
      expect((await api.raw('post', BANK_PATH, '{', 'application/json')).status).toBe(400);
    });
  });
});

describe('parallel calls of POST /api/v1/bank/sync-to-issuer', () => {
  let service: TestService;
  let other: UsersApp;
  const proxies: TcpProxy[] = [];
  beforeAll(async () => {
    service = await startService();
    other = await service.replica();
  });
  afterAll(async () => {
    await service.close();
    for (const proxy of proxies) await proxy.close();
  });

  async function aUser() {
    const user = await logIn(service);
    await knownAs(service, user.user_id, HOLDER);
    return {
      ...user,
      api: as(service.api, user),
      on: (i: number) => as((i % 2 ? other : service).api, user),
    };
  }

  const pennies = (account: string) => effectsOf('bank', account);
  const registrations = (slug: string, account: string) => effectsOf(`issuer:${slug}`, account);
  const bankStep = async (userId: string, slug: string) =>
    (
      await service.dataSource.query<{ state: string }[]>(
        `SELECT state FROM onboarding.journey_steps
          WHERE user_id = $1 AND issuer_slug = $2 AND step = 'BANK'`,
        [userId, slug],
      )
    )[0]?.state;

  // the longest first: Jest runs five at a time
  it.concurrent(
    'answers 202 while the bank checks, then verifies and registers the account without another call',
    async () => {
      const user = await aUser();
      const { body, pending, verification, repeated } = await eventually(async () => {
        const body = bankBody({ account: anAccount('0202'), issuer_code: 'KAVSFB' });
        const pending = await postBank(user.api, body);
        const { verification_id } = payloadOf(pending);
        const verification = await getVerification(user.api, verification_id);
        const repeated = await postBank(user.on(1), body);
        // the bank answers after five seconds: another account if that was before the last call
        const [account] = await service.dataSource.query<{ state: string }[]>(
          'SELECT state FROM onboarding.bank_accounts WHERE id = $1',
          [verification_id],
        );
        expect(account!.state).toBe('PROCESSING');
        return { body, pending, verification, repeated };
      });
      expect(pending.body).toEqual({
        success: 1,
        statusCode: 202,
        message: 'Your bank is still checking. This may take a moment.',
        payload: {
          is_bank_verified: false,
          verification_id: expect.any(String) as string,
          account: expect.stringMatching(/^X+0202$/) as string,
          ifsc: body.ifsc,
          bank_name: null,
          name_match: null,
          is_synced: false,
          issuer_code: 'KAVSFB',
          issuer_reference: null,
          pending_code: BankErrors.pending.code,
        },
      });
      const { verification_id: id } = payloadOf(pending);
      expect([verification.status, payloadOf(verification)]).toEqual([202, payloadOf(pending)]);
      for (const { headers } of [pending, verification]) expect(headers['retry-after']).toBe('2');
      expect(repeated.body).toEqual(pending.body);
      await eventually(async () => {
        await handOverToBankWorker(service, user.user_id);
        const done = await getVerification(user.api, id);
        expect([done.status, payloadOf(done)]).toEqual([
          200,
          expect.objectContaining({ is_bank_verified: true, is_synced: true, bank_name: 'HDFC Bank' }),
        ]);
      });
      expect(await bankStep(user.user_id, 'kaveri')).toBe('DONE');
      expect(await pennies(body.account)).toMatchObject([{ calls: 1 }]);
      expect(await registrations('kaveri', body.account)).toMatchObject([{ calls: 1 }]);
      expect((await postBank(user.api, body)).status).toBe(200);
    },
  );

  // one after the other, or many calls at once would run out of time
  it.each(ISSUER_SLUGS)(
    'reaches the bank and %s once, and answers all calls on two replicas alike',
    async (slug) => {
      const user = await aUser();
      const body = bankBody({ issuer_code: ISSUER_CODES[slug] });
      const responses = await inParallel(6, (i) => postBank(user.on(i), body));
      for (const { status } of responses) expect([200, 202]).toContain(status);
      const ends = await inParallel(6, (i) => endOf(user.on(i), responses[i]!));
      for (const end of ends) expect(end).toEqual(ends[0]);
      expect(ends[0]).toMatchObject({ is_bank_verified: true, is_synced: true });
      expect(await pennies(body.account)).toMatchObject([{ calls: 1 }]);
      expect(await registrations(slug, body.account)).toMatchObject([{ calls: 1 }]);
      recordEvidence('bank-once', {
        issuer: slug,
        calls: responses.length,
        verifications: 1,
        registrations: 1,
      });
    },
  );

  it.concurrent(
    'asks the bank once for concurrent calls with different names, and judges each name separately',
    async () => {
      const user = await aUser();
      const body = bankBody({ issuer_code: 'ARAVFIN' });
      // the first call must win: the sandbox gives the holder its name
      const right = postBank(user.on(0), body);
      await eventually(async () => expect(await pennies(body.account)).toHaveLength(1));
      const wrong = await inParallel(2, (i) =>
        postBank(user.on(i), { ...body, account_holder_full_name: 'Farhan Qureshi' }),
      );
      for (const response of wrong) expectRefusal(response, BankErrors.holderDiffers);
      expect((await right).status).toBe(200);
      expect(await pennies(body.account)).toMatchObject([{ calls: 1 }]);
      expect(await bankStep(user.user_id, 'aravalli')).toBe('DONE');
    },
  );

  it.concurrent('asks the bank once for concurrent calls about a frozen account', async () => {
    const user = await aUser();
    const body = bankBody({ account: anAccount('0423') });
    const responses = await inParallel(4, (i) => postBank(user.on(i), body));
    for (const response of responses) expectRefusal(response, BankErrors.accountBlocked);
    expect(await pennies(body.account)).toMatchObject([{ calls: 1 }]);
  });

  it.concurrent('verifies the same account once for each of two users', async () => {
    const [first, second] = [await aUser(), await aUser()];
    const body = bankBody();
    const [one, two] = await Promise.all([postBank(first.api, body), postBank(second.api, body)]);
    expect(payloadOf(one).verification_id).not.toBe(payloadOf(two).verification_id);
    expect(await pennies(body.account)).toHaveLength(2);
  });

  // not concurrent with the other tests, since many calls at once can miss their deadlines
  describe('limit of 30 calls a minute', () => {
    it('answers 429 with Retry-After to exactly 6 of 36 concurrent calls of a user on two replicas', async () => {
      const user = await aUser();
      const body = bankBody();
      const responses = await inParallel(36, (i) => postBank(user.on(i), body));
      const refused = responses.filter(({ status }) => status === 429);
      expect(refused).toHaveLength(6);
      for (const response of refused) {
        expectRefusal(response, GeneralErrors.tooManyRequests);
        expect(Number(response.headers['retry-after'])).toBeGreaterThanOrEqual(1);
        expect(Number(response.headers['retry-after'])).toBeLessThanOrEqual(60);
      }
      expect(await pennies(body.account)).toMatchObject([{ calls: 1 }]);
      // the limit applies neither to malformed calls nor to reads
      expectRefusal(await postBank(user.api, bankBody({ ifsc: '' })), BankErrors.fieldMissing);
      const accepted = responses.find(({ status }) => [200, 202].includes(status))!;
      await eventually(async () =>
        expect((await getVerification(user.api, payloadOf(accepted).verification_id)).status).toBe(200),
      );
    });

    it('counts bank calls of a user about different accounts together', async () => {
      const user = await aUser();
      const responses = await inParallel(31, (i) => postBank(user.on(i), bankBody()));
      const refused = responses.filter(({ status }) => status === 429);
      expect(refused).toHaveLength(1);
      expectRefusal(refused[0]!, GeneralErrors.tooManyRequests);
    });

    it('counts the bank calls of each user separately', async () => {
      const [first, second] = [await aUser(), await aUser()];
      const body = bankBody();
      const responses = await inParallel(31, (i) => postBank(first.on(i), body));
      expect(responses.filter(({ status }) => status === 429)).toHaveLength(1);
      expect((await postBank(second.api, body)).status).not.toBe(429);
    });

    it('answers 429 after 30 bank calls while Redis is down', async () => {
      const user = await aUser();
      const redis = await TcpProxy.before(service.environment['REDIS_URL']!);
      const alone = await service.replica({ REDIS_URL: redis.url });
      redis.cut();
      const body = bankBody();
      const responses = await inParallel(33, () => postBank(as(alone.api, user), body));
      expect(responses.filter(({ status }) => status === 429)).toHaveLength(3);
      redis.heal();
      proxies.push(redis);
      // a client closed while it reconnects would linger
      await eventually(() => expect(alone.app.get<Redis>(REDIS).status).toBe('ready'));
    });
  });
});

const REQUEST_ID = '0198c0de-1a2b-7c3d-8e4f-00000000000a';

describe('failing bank or issuer of the sandbox', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService({});
    // retries of its worker would open the bank's circuit
    await service.app.get(Jobs).beforeApplicationShutdown();
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
    // its worker would take accounts of slow requests, and repeat calls of earlier tests
    await service.app.get(Jobs).beforeApplicationShutdown();
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
    await away.app.get(Jobs).beforeApplicationShutdown();
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
    // its worker would take the account of a slow request
    await service.app.get(Jobs).beforeApplicationShutdown();
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
