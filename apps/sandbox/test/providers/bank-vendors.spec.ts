import request, { type Test as Call } from 'supertest';
import { FakeClock } from '../support/fake-clock.js';
import { effectsOf } from '../support/outside-call.js';
import { bootSandbox } from '../support/sandbox.js';

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
