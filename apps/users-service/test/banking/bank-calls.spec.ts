import { BankErrors, type ErrorDefinition, GeneralErrors } from '@fd/errors';
import { REDIS } from '@fd/platform';
import { eventually, expectRefusal, inParallel, recordEvidence, TcpProxy } from '@fd/testing';
import type { Redis } from 'ioredis';
import {
  BANK_PATH,
  bankBody,
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
import { startService, type TestService, type UsersApp } from '../support/users-app.js';

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
      const body = bankBody({ account: anAccount('0202'), issuer_code: 'KAVSFB' });
      const pending = await postBank(user.api, body);
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
      const verification = await getVerification(user.api, id);
      expect([verification.status, payloadOf(verification)]).toEqual([202, payloadOf(pending)]);
      for (const { headers } of [pending, verification]) expect(headers['retry-after']).toBe('2');
      expect((await postBank(user.on(1), body)).body).toEqual(pending.body);
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

  it.concurrent('counts bank calls of a user about different accounts together', async () => {
    const user = await aUser();
    for (let i = 0; i < 30; i++) expect((await postBank(user.on(i), bankBody())).status).toBe(200);
    expectRefusal(await postBank(user.api, bankBody()), GeneralErrors.tooManyRequests);
  });

  it.concurrent('counts the bank calls of each user separately', async () => {
    const [first, second] = [await aUser(), await aUser()];
    const body = bankBody();
    for (let i = 0; i < 30; i++) expect((await postBank(first.on(i), body)).status).toBe(200);
    expectRefusal(await postBank(first.api, body), GeneralErrors.tooManyRequests);
    expect((await postBank(second.api, body)).status).toBe(200);
  });

  it.concurrent.each(ISSUER_SLUGS)(
    'reaches the bank and %s once, and answers all calls on two replicas alike',
    async (slug) => {
      const user = await aUser();
      const body = bankBody({ issuer_code: ISSUER_CODES[slug] });
      const responses = await inParallel(6, (i) => postBank(user.on(i), body));
      for (const { status, body: answer } of responses) {
        expect([status, answer]).toEqual([200, responses[0]!.body]);
      }
      expect(payloadOf(responses[0]!)).toMatchObject({ is_bank_verified: true, is_synced: true });
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
      const accepted = responses.find(({ status }) => status !== 429)!;
      await eventually(async () =>
        expect((await getVerification(user.api, payloadOf(accepted).verification_id)).status).toBe(200),
      );
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
