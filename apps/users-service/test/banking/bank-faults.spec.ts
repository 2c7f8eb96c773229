import { BankErrors, GeneralErrors, IssuerErrors } from '@fd/errors';
import { expectRefusal } from '@fd/testing';
import { bankBody, HOLDER, payloadOf, postBank } from '../support/bank.js';
import { effectsOf } from '../support/effects.js';
import { anAccount, ISSUER_CODES } from '../support/issuers.js';
import { as, logIn } from '../support/login.js';
import { knownAs } from '../support/pan.js';
import { answersJson, BEHAVIOURS, type Behaviour, ScriptedProvider } from '../support/scripted-provider.js';
import { startService, type TestService } from '../support/users-app.js';

const completed = (result: string, more: object = {}) => ({
  verification_id: 'v-1',
  status: 'COMPLETED',
  result,
  name_at_bank: null,
  bank_name: 'HDFC Bank',
  ...more,
});
const valid = completed('VALID', { name_at_bank: 'ASHA KUMARI RAO' });

/** Calls to a party that came in with each key: one entry for each key. */
const keysOf = ({ calls }: ScriptedProvider) =>
  new Set(calls.map(({ headers }) => headers['idempotency-key']));

describe('parties of the sandbox that are in trouble', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService({});
  });
  afterAll(() => service.close());

  const TROUBLE = [
    ['is down', '503'],
    ['hangs', '504'],
    ['is broken', '500'],
    ['answers a web page', '502'],
  ] as const;

  it.each(TROUBLE)('a bank that %s: BANK_UNAVAILABLE, and other accounts go on', async (_name, ending) => {
    const api = as(service.api, await logIn(service));
    const response = await postBank(
      api,
      bankBody({ account: anAccount(`0${ending}`), issuer_code: 'ARAVFIN' }),
    );
    expectRefusal(response, BankErrors.unavailable);
    expect(Number(response.headers['retry-after'])).toBeGreaterThan(0);
    expect((await postBank(api, bankBody())).status).toBe(200);
  });

  it.each([
    ['aravalli', 'is down', '2403'],
    ['aravalli', 'hangs', '2404'],
    ['kaveri', 'is broken', '2405'],
    ['kaveri', 'answers a web page', '2402'],
  ] as const)('%s that %s: ISSUER_UNAVAILABLE, and the account is verified', async (slug, _name, ending) => {
    const user = await logIn(service);
    await knownAs(service, user.user_id, HOLDER);
    const api = as(service.api, user);
    const body = bankBody({ account: anAccount(ending), issuer_code: ISSUER_CODES[slug] });
    expectRefusal(await postBank(api, body), IssuerErrors.unavailable);
    expectRefusal(await postBank(api, body), IssuerErrors.unavailable);
    expect(await effectsOf('bank', body.account)).toMatchObject([{ calls: 1 }]);
    const { body: profile } = await api.get('/api/v1/user-profile');
    expect((profile as { payload: object }).payload).toMatchObject({ is_bank_verified: true });
  });

  it('calls at the same time wait for the one that asks, and fail with it', async () => {
    const user = await logIn(service);
    const body = bankBody({ account: anAccount('0503') });
    const responses = await Promise.all([0, 1, 2].map(() => postBank(as(service.api, user), body)));
    for (const response of responses) expectRefusal(response, BankErrors.unavailable);
  });
});

describe('a bank', () => {
  let service: TestService;
  let bank: ScriptedProvider;
  beforeAll(async () => {
    bank = await ScriptedProvider.start();
  });
  // a service of its own for each: its breaker must not remember the failures of another test
  beforeEach(async () => {
    service = await startService({ BANK_VERIFICATION_URL: bank.url, BANK_VERIFICATION_API_KEY: 'the-key' });
    bank.calls.length = 0;
  });
  afterEach(() => service.close());
  afterAll(() => bank.stop());

  const unusable: Record<string, Behaviour> = {
    answersEmptyObject: answersJson(200, {}),
    answersAnotherResult: answersJson(200, completed('DORMANT')),
    answersNoName: answersJson(200, completed('VALID')),
    answersBlankName: answersJson(200, { ...valid, name_at_bank: ' ' }),
    answersHugeName: answersJson(200, { ...valid, name_at_bank: 'A'.repeat(300) }),
    answersNulInName: answersJson(200, { ...valid, name_at_bank: 'ASHA\u0000RAO' }),
    answersNulInBank: answersJson(200, { ...valid, bank_name: 'A\u0000B' }),
    answersNoBank: answersJson(200, { ...valid, bank_name: null }),
    answersProcessingWithoutReceipt: answersJson(202, { status: 'PROCESSING' }),
    answersForbidden: answersJson(403, {}),
  };

  // few enough, at two tries each, for the breaker to stay closed
  it.each<[string, [string, Behaviour][]]>([
    ['whatever the connection to it does', Object.entries(BEHAVIOURS).slice(0, 7)],
    ['whatever else the connection does', Object.entries(BEHAVIOURS).slice(7)],
    ['whatever it says', Object.entries(unusable)],
  ])('%s: BANK_UNAVAILABLE, and the next try has the same key', async (_name, faults) => {
    const api = as(service.api, await logIn(service));
    const body = bankBody();
    for (const [name, behaviour] of faults) {
      bank.behaviour = behaviour;
      const response = await postBank(api, body);
      expect({ name, status: response.status }).toEqual({ name, status: 503 });
      expectRefusal(response, BankErrors.unavailable);
    }
    expect(keysOf(bank).size).toBe(1);
  });

  it('that is back: the same call succeeds, with the same key and the same words', async () => {
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

  it('that is not there at all', async () => {
    const away = await service.replica({ BANK_VERIFICATION_URL: 'http://127.0.0.1:1' });
    expectRefusal(await postBank(as(away.api, await logIn(service))), BankErrors.unavailable);
  });

  it('that has no such account: FIELD_INVALID about the account', async () => {
    const api = as(service.api, await logIn(service));
    bank.behaviour = answersJson(200, completed('INVALID_ACCOUNT'));
    const response = await postBank(api, bankBody({ issuer_code: 'ARAVFIN' }));
    expectRefusal(response, GeneralErrors.fieldInvalid);
    expect((response.body as { error: object[] }).error).toMatchObject([{ f_error_reason: 'account' }]);
  });

  it('is told who asks, and nothing that it need not know', async () => {
    bank.behaviour = answersJson(200, valid);
    const body = bankBody();
    await as(service.api, await logIn(service)).post('/api/v1/bank/sync-to-issuer', body, {
      headers: { 'x-request-id': 'bank-request-1' },
    });
    expect(bank.calls).toHaveLength(1);
    const { headers, body: sent } = bank.calls[0]!;
    expect(headers).toMatchObject({
      authorization: 'Bearer the-key',
      'x-request-id': 'bank-request-1',
      'idempotency-key': expect.any(String) as string,
    });
    expect(sent).toEqual({
      account_number: body.account,
      ifsc: body.ifsc,
      holder_name: body.account_holder_full_name,
    });
  });

  it('may name somebody who is nearly the holder: it passes and is looked at', async () => {
    bank.behaviour = answersJson(200, { ...valid, name_at_bank: 'A K RAO' });
    const { name_match: match, is_bank_verified } = payloadOf(
      await postBank(as(service.api, await logIn(service))),
    );
    expect(is_bank_verified).toBe(true);
    expect(match!.score).toBeLessThan(100);
    expect(match!.band).toBe(match!.score >= 85 ? 'STRONG' : 'REVIEW');
  });
});

describe('an issuer', () => {
  let service: TestService;
  let issuer: ScriptedProvider;
  beforeEach(async () => {
    issuer = await ScriptedProvider.start();
    service = await startService({ ISSUER_API_URL: issuer.url });
  });
  afterEach(async () => {
    await service.close();
    await issuer.stop();
  });

  it('that is back: the same call succeeds, with the same key, and registers whom the bank names', async () => {
    const user = await logIn(service);
    const api = as(service.api, user);
    const body = bankBody({ issuer_code: 'ARAVFIN' });
    issuer.behaviour = BEHAVIOURS.resets;
    expectRefusal(await postBank(api, body), IssuerErrors.unavailable);
    issuer.behaviour = answersJson(201, { beneficiary_id: 'b-1', state: 'ACTIVE' });
    expect(payloadOf(await postBank(api, body))).toMatchObject({ is_synced: true, issuer_reference: 'b-1' });
    expect(keysOf(issuer).size).toBe(1);
    expect(issuer.calls.at(-1)!.body).toEqual({
      beneficiary_name: 'ASHA KUMARI RAO',
      account_no: body.account,
      ifsc: body.ifsc,
      customer_ref: user.user_id,
    });
  });

  it('that takes its time: 202, and what was accepted is not sent again', async () => {
    const api = as(service.api, await logIn(service));
    const body = bankBody({ issuer_code: 'KAVSFB' });
    const header = { responseCode: '01' };
    issuer.behaviour = answersJson(200, { header, body: { ackNo: 'a-1', benStatus: 'P' } });
    const response = await postBank(api, body);
    expect([response.status, payloadOf(response)]).toEqual([
      202,
      expect.objectContaining({
        is_bank_verified: true,
        is_synced: false,
        pending_code: BankErrors.pending.code,
      }),
    ]);
    expect((await postBank(api, body)).status).toBe(202);
    const additions = issuer.calls.filter(({ path }) => path.endsWith('/beneficiaryAdd'));
    expect(additions).toHaveLength(1);
  });
});
