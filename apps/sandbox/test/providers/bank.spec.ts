import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from '@fd/testing';
import request, { type Test as Call } from 'supertest';
import { FakeClock } from '../support/fake-clock.js';
import { aBankVerification, BANK_PATH } from '../support/outside-bodies.js';
import { ask, effectsOf, look, refusal } from '../support/outside-call.js';
import { bootSandbox, startSandbox } from '../support/sandbox.js';

describe('bank verification', () => {
  const clock = new FakeClock();
  const sandbox = bootSandbox(clock);

  const verify = (changes = {}, key?: string) => ask(sandbox, BANK_PATH, aBankVerification(changes), key);
  const ending = (digits: string) => ({ account_number: `50100012${digits}` });

  it('returns the sent name of the holder, repeatedly', async () => {
    const { body } = await verify().expect(200);
    expect(body).toEqual({
      verification_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      status: 'COMPLETED',
      result: 'VALID',
      name_at_bank: 'ASHA KUMARI RAO',
      bank_name: 'HDFC Bank',
    });
    expect((await look(sandbox, `${BANK_PATH}/${body.verification_id}`).expect(200)).body).toEqual(body);
  });

  it.each([
    ['0423', 'FROZEN', null],
    ['0424', 'CLOSED', null],
    ['0404', 'INVALID_ACCOUNT', null],
    ['0400', 'INVALID_ACCOUNT', null],
    ['0407', 'VALID', null],
    ['0409', 'FROZEN', null],
    ['0410', 'VALID', 'ASHA KUMARI RAO'],
    ['1454', 'VALID', 'ASHA KUMARI RAO'],
    ['2403', 'VALID', 'ASHA KUMARI RAO'],
    ['2404', 'VALID', 'ASHA KUMARI RAO'],
  ])('answers about %s as listed: %s', async (digits, result, name) => {
    const { body } = await verify(ending(digits)).expect(200);
    expect(body).toMatchObject({ status: 'COMPLETED', result, name_at_bank: name });
  });

  it.each(['Asha Kumari Rao', 'Gopal Venkataraman', 'fatima gopal'])(
    'knows 1055 by a name that shares nothing with %s',
    async (holder) => {
      const { body } = await verify({ ...ending('1055'), holder_name: holder }).expect(200);
      expect(body).toMatchObject({ result: 'VALID', name_at_bank: expect.stringMatching(/^[A-Z]+ [A-Z]+$/) });
      const names = holder.toUpperCase().split(' ');
      const atBank = (body.name_at_bank as string).split(' ');
      expect(atBank.filter((name) => names.includes(name))).toEqual([]);
    },
  );

  it('takes 5 seconds for 0202', async () => {
    const { body } = await verify(ending('0202'), 'k').expect(202);
    expect(body).toEqual({ verification_id: expect.any(String), status: 'PROCESSING' });
    const result = () => look(sandbox, `${BANK_PATH}/${body.verification_id}`).expect(200);
    clock.advanceSeconds(4.999);
    expect((await result()).body).toEqual(body);
    clock.advanceSeconds(0.001);
    const answer = { ...body, status: 'COMPLETED', result: 'VALID', name_at_bank: 'ASHA KUMARI RAO' };
    expect((await result()).body).toEqual({ ...answer, bank_name: 'HDFC Bank' });
    // repeats the first answer, although the result is known
    expect((await verify(ending('0202'), 'k').expect(202)).body).toEqual(body);
    expect(await effectsOf(sandbox, { provider: 'bank' })).toMatchObject([{ calls: 2 }]);
  });

  it('sends one penny for parallel calls with one key', async () => {
    const answers = await Promise.all(Array.from({ length: 30 }, () => verify({}, 'one')));
    expect(new Set(answers.map(({ body }) => body.verification_id)).size).toBe(1);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(await effectsOf(sandbox, { provider: 'bank', subject: '501000121234' })).toMatchObject([
      { kind: 'penny_drop', idempotency_key: 'one', calls: 30 },
    ]);
  });

  it('sends another penny for another key', async () => {
    const [one, other] = [await verify({}, 'a'), await verify({}, 'b')];
    expect(one.body.verification_id).not.toBe(other.body.verification_id);
    expect(await effectsOf(sandbox, { provider: 'bank' })).toHaveLength(2);
  });

  it.each([
    ['SBIN0000300', 'State Bank of India'],
    ['ICIC0000001', 'ICICI Bank'],
    ['QXZY0ABC123', 'QXZY Bank'],
  ])('names the bank of %s', async (ifsc, name) => {
    expect((await verify({ ifsc })).body.bank_name).toBe(name);
  });

  it('does not know another verification', async () => {
    expect((await look(sandbox, `${BANK_PATH}/unknown`).expect(404)).body).toEqual(refusal('not_found'));
  });

  it.each([
    ['an account of 8 digits', { account_number: '12345678' }],
    ['an account that is a number', { account_number: 501000121234 }],
    ['an IFSC without its zero', { ifsc: 'HDFC1001234' }],
    ['no holder', { holder_name: ' ' }],
  ])('refuses %s', async (_, changes) => {
    expect((await verify(changes).expect(422)).body).toEqual(refusal('invalid_request'));
    expect(await effectsOf(sandbox)).toEqual([]);
  });

  it('refuses a key that is too long', async () => {
    await verify({}, 'k'.repeat(256)).expect(422);
  });
});

const CASHFREE = '/vendors/cashfree/verification/bank-account';
const SETU = '/vendors/setu/api/verify/ban/async';
const CASHFREE_KEYS = { 'x-client-id': 'id', 'x-client-secret': 'secret', 'x-api-version': '2024-12-01' };
const SETU_KEYS = { 'x-client-id': 'id', 'x-client-secret': 'secret', 'x-product-instance-id': 'p' };

describe('vendors of bank verifications', () => {
  const clock = new FakeClock();
  const sandbox = bootSandbox(clock);

  const as = (keys: Record<string, string>, call: Call): Call => call.set(keys);
  const post = (path: string, keys: Record<string, string>, body: object) =>
    as(keys, request(sandbox.baseUrl).post(path)).send(body);
  const get = (path: string, keys: Record<string, string>) => as(keys, request(sandbox.baseUrl).get(path));
  const ending = (digits: string): string => `50100012${digits}`;
  const penniesOf = (subject: string) => effectsOf(sandbox, { subject });

  describe('Cashfree', () => {
    const begin = (account: string, more: object = {}) =>
      post(`${CASHFREE}/async`, CASHFREE_KEYS, { bank_account: account, ifsc: 'HDFC0001234', ...more });
    const find = (query: string) => get(`${CASHFREE}?${query}`, CASHFREE_KEYS);

    it('accepts a verification, and finds it by either reference', async () => {
      const { status, body } = await begin(ending('1111'), { user_id: 'u1' });
      expect([status, body]).toEqual([
        200,
        {
          reference_id: expect.any(Number),
          user_id: 'u1',
          account_status: 'RECEIVED',
          account_status_code: 'VALIDATION_IN_PROGRESS',
        },
      ]);
      const answers = [await find('user_id=u1'), await find(`reference_id=${body.reference_id}`)];
      for (const answer of answers) {
        expect(answer.body).toMatchObject({
          account_status: 'VALID',
          account_status_code: 'ACCOUNT_IS_VALID',
          name_at_bank: expect.stringMatching(/^[A-Z ]+$/),
          bank_name: 'HDFC Bank',
        });
      }
    });

    it('refuses a known reference, and sends no second penny', async () => {
      await begin(ending('1112'), { user_id: 'u2' });
      const second = await begin(ending('1112'), { user_id: 'u2' });
      expect([second.status, second.body.code]).toEqual([400, 'user_id_already_exists']);
      expect(await penniesOf(ending('1112'))).toHaveLength(1);
    });

    it('refuses an unknown reference in its own format', async () => {
      const unknown = [await find('user_id=none'), await find('reference_id=1')];
      expect(unknown.map(({ status, body }) => [status, body.code])).toEqual([
        [404, 'user_id_not_found'],
        [404, 'reference_id_not_found'],
      ]);
    });

    it.each([
      ['026291800001191', 'VALID', 'ACCOUNT_IS_VALID'],
      ['7766666585146', 'INVALID', 'INVALID_ACCOUNT_FAIL'],
      ['7766667287515', 'INVALID', 'INVALID_IFSC_FAIL'],
      ['7766667989884', 'INVALID', 'ACCOUNT_BLOCKED'],
      ['7766668692253', 'FAILED', 'BENEFICIARY_BANK_OFFLINE'],
      ['50101329442375', 'REJECTED', 'INSUFFICIENT_BALANCE'],
      [ending('0423'), 'INVALID', 'ACCOUNT_BLOCKED'],
      [ending('0424'), 'INVALID', 'INVALID_ACCOUNT_FAIL'],
      [ending('0404'), 'INVALID', 'INVALID_ACCOUNT_FAIL'],
      [ending('0409'), 'REJECTED', 'FRAUD_ACCOUNT'],
      [ending('0410'), 'MANUALLY_REJECTED', null],
      [ending('0407'), 'VALID', 'ACCOUNT_IS_VALID'],
    ])('finds %s %s: %s', async (account, status, code) => {
      await begin(account, { user_id: `of${account}` });
      const { body } = await find(`user_id=of${account}`);
      expect(body).toMatchObject({ account_status: status, account_status_code: code });
    });

    it.each([
      ['0402', 422, 'insufficient_balance'],
      ['0422', 422, 'benficiary_bank_offline'],
      ['0400', 422, 'invalid_ifsc_fail'],
      ['0200', 200, 'api_error'],
      ['0503', 503, 'service_unavailable'],
      ['0500', 500, 'api_error'],
    ])('answers %s with status %s and code %s, without a penny', async (digits, status, code) => {
      const answer = await begin(ending(digits));
      expect([answer.status, answer.body.code]).toEqual([status, code]);
      expect(await penniesOf(ending(digits))).toEqual([]);
    });

    it('has no name of the holder for 0407', async () => {
      await begin(ending('0407'), { user_id: 'unnamed' });
      expect((await find('user_id=unnamed')).body).toMatchObject({
        account_status: 'VALID',
        name_at_bank: null,
      });
    });

    it('takes 5 seconds for 0202, and is offline for 5 seconds for 0422', async () => {
      await begin(ending('0202'), { user_id: 'slow' });
      const away = `1${ending('0422')}`;
      await begin(away).expect(422);
      expect((await find('user_id=slow')).body.account_status).toBe('RECEIVED');
      clock.advanceSeconds(5);
      expect((await find('user_id=slow')).body.account_status).toBe('VALID');
      await begin(away).expect(200);
    });

    it('requires its own headers', async () => {
      const call = request(sandbox.baseUrl).post(`${CASHFREE}/async`).set('authorization', 'Bearer key');
      const { status, body } = await call.send({});
      expect([status, body.code]).toEqual([401, 'authentication_failed']);
      expect((await begin('12')).body).toMatchObject({ type: 'validation_error' });
    });
  });

  describe('Setu', () => {
    const begin = (accountNumber: string, ifsc = 'HDFC0001234') =>
      post(SETU, SETU_KEYS, { accountNumber, ifsc, narration: 'Account check' });
    const outcomeOf = async (account: string, ifsc?: string) => {
      const { body } = await begin(account, ifsc).expect(200);
      return (await get(`${SETU}/${body.id}`, SETU_KEYS).expect(200)).body as Record<string, unknown>;
    };

    it.each([
      ['1234567890', 'ABCD0123456', 'success', 'BAV00'],
      ['1234567890', 'ABCD0123457', 'failed', 'BAVM1'],
      ['1234567890', 'ABCD0123458', 'failed', 'BAVM1'],
      ['1234567890', 'ABCD0123467', 'failed', 'BAVM1'],
      ['1234567890', 'ABCD0123450', 'pending', undefined],
      [ending('1111'), 'HDFC0001234', 'success', 'BAV00'],
      [ending('0423'), 'HDFC0001234', 'failed', 'BAVM3'],
      [ending('0424'), 'HDFC0001234', 'failed', 'BAVM5'],
      [ending('0404'), 'HDFC0001234', 'failed', undefined],
      [ending('0409'), 'HDFC0001234', 'failed', 'BAV34'],
      [ending('0410'), 'HDFC0001234', 'failed', 'BAV1009'],
      [ending('0407'), 'HDFC0001234', 'success', 'BAV00'],
      [ending('0422'), 'HDFC0001234', 'failed', 'BAV91'],
      [ending('0202'), 'HDFC0001234', 'pending', undefined],
    ])('finds %s at %s: %s %s', async (account, ifsc, verification, code) => {
      const found = await outcomeOf(account, ifsc);
      expect([found['verification'], found['code']]).toEqual([verification, code]);
    });

    it.each([
      ['0402', 403, 'insufficient_balance'],
      ['0200', 200, 'upstream_service_error'],
      ['0503', 503, 'service_unavailable'],
      ['0500', 500, 'internal_server_error'],
    ])('answers %s with status %s and code %s, without a penny', async (digits, status, code) => {
      const answer = await begin(ending(digits));
      expect([answer.status, answer.body.error.code]).toEqual([status, code]);
      expect(await penniesOf(ending(digits))).toEqual([]);
    });

    it('accepts the documented downstream error, and answers its poll with 500', async () => {
      const { body } = await begin('1234567890', 'ABCD0123459').expect(200);
      const poll = await get(`${SETU}/${body.id}`, SETU_KEYS);
      expect([poll.status, poll.body.error.code]).toEqual([500, 'downstream_service_error']);
    });

    it('refuses 0400 at the start, without a penny', async () => {
      const { status, body } = await begin(ending('0400'));
      expect([status, body.verification, body.message]).toEqual([
        400,
        'failed',
        'Either IFSC or bank account is invalid',
      ]);
      expect(await penniesOf(ending('0400'))).toEqual([]);
    });

    it('sends a penny for each call, since it has no reference', async () => {
      await begin(ending('1113'));
      await begin(ending('1113'));
      expect(await penniesOf(ending('1113'))).toMatchObject([{ provider: 'setu' }, { provider: 'setu' }]);
    });

    it('requires its own headers', async () => {
      const call = request(sandbox.baseUrl)
        .post(SETU)
        .set({ ...SETU_KEYS, authorization: 'Bearer key' });
      expect((await call.send({})).status).toBe(401);
    });
  });

  it('uses the set name of an account, except for 1055', async () => {
    for (const account of [ending('1114'), ending('1055')]) {
      await request(sandbox.baseUrl)
        .put(`/api/bank-holders/${account}`)
        .send({ name: 'Asha Rao' })
        .expect(204);
    }
    const nameOf = async (account: string): Promise<unknown> => {
      await post(`${CASHFREE}/async`, CASHFREE_KEYS, {
        bank_account: account,
        ifsc: 'HDFC0001234',
        user_id: account,
      });
      return (await get(`${CASHFREE}?user_id=${account}`, CASHFREE_KEYS)).body.name_at_bank;
    };
    expect(await nameOf(ending('1114'))).toBe('ASHA RAO');
    expect(await nameOf(ending('1055'))).not.toMatch(/ASHA|RAO/);
    await request(sandbox.baseUrl).put('/api/bank-holders/12').send({ name: 'Asha Rao' }).expect(400);
  });
});

const WEBHOOK_KEYS = { 'x-client-id': 'id', 'x-client-secret': 'secret', 'x-product-instance-id': 'product' };

describe('webhook URLs in the settings', () => {
  it('receive the webhooks of their client id', async () => {
    const received: string[] = [];
    const service = createServer((call, response) => {
      received.push(call.url!);
      response.end();
    });
    await once(service.listen(0, '127.0.0.1'), 'listening');
    const { port } = service.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/api/v1/webhooks/setu`;
    const { app, baseUrl } = await startSandbox({
      settings: { VENDOR_WEBHOOKS: `other=http://127.0.0.1:1/,id=${url}` },
    });
    await request(baseUrl)
      .post('/vendors/setu/api/verify/ban/async')
      .set(WEBHOOK_KEYS)
      .send({ accountNumber: '501000121234', ifsc: 'HDFC0001234' })
      .expect(200);
    await eventually(() => expect(received).toEqual(Array(3).fill('/api/v1/webhooks/setu')));
    await app.close();
    service.close();
  });
});
