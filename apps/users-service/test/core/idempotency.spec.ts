import { DEADLINE_MS, timeLimit } from '@fd/envelope';
import { GeneralErrors, IdempotencyErrors, IssuerErrors, LoginErrors, SessionErrors } from '@fd/errors';
import type { Response } from 'supertest';
import { ApiDocument } from '@fd/platform';
import { expectRefusal, inParallel } from '@fd/testing';
import { CallsOfUsers } from '../../src/core/caller/calls-of-users.js';
import { KeyedHash } from '../../src/core/pii/pii-cipher.js';
import { aPhone, aPhoneEnding, codeOf, inboxOf } from '../support/inbox.js';
import { as, logIn, verifyBody } from '../support/login.js';
import { startService, type TestService } from '../support/users-app.js';

/** A call is abandoned a second after its deadline. */
const PAST_DEADLINE = `${DEADLINE_MS + timeLimit(1_100)} milliseconds`;

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterEach(() => service.clock.reset());
afterAll(() => service.close());

let keys = 0;
const aKey = () => `key-${process.pid}-${keys++}`;

const register = (phone: string, key: string, api = service.api): Promise<Response> =>
  api.post('/auth/register', { phone }, { headers: { 'idempotency-key': key } });

const headerOf = ({ headers }: Response, name: string): string | undefined =>
  (headers as Record<string, string>)[name];
const replayed = (response: Response) => headerOf(response, 'idempotent-replayed');
const retryAfter = (response: Response) => headerOf(response, 'retry-after');

const VERIFY = '/auth/api/v2/register/verify';

async function logInUnderKey() {
  const phone = aPhone();
  await service.api.post('/auth/register', { phone });
  const body = verifyBody(phone, await codeOf(phone));
  const options = { headers: { 'idempotency-key': aKey() } };
  const first = await service.api.post(VERIFY, body, options);
  expect(first.status).toBe(200);
  return { body, options, first };
}

describe('Idempotency-Key header', () => {
  it('runs one of two calls under one key, and repeats its answer unchanged', async () => {
    const [phone, key] = [aPhone(), aKey()];
    const first = await register(phone, key);
    const second = await register(phone, key);
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.body).toEqual(first.body);
    expect([replayed(first), replayed(second)]).toEqual([undefined, 'true']);
    expect(await inboxOf(phone)).toHaveLength(1);
    // without a key the call takes effect again
    expect((await service.api.post('/auth/register', { phone })).body.payload.attemptsUsed).toBe(1);
  });

  it('accepts a key of 255 characters', async () => {
    expect((await register(aPhone(), 'k'.repeat(255))).status).toBe(201);
  });

  it('repeats the answer of a login with the same tokens', async () => {
    const phone = aPhone();
    await service.api.post('/auth/register', { phone });
    const body = verifyBody(phone, await codeOf(phone));
    const options = { headers: { 'idempotency-key': aKey() } };
    const first = await service.api.post('/auth/api/v2/register/verify', body, options);
    const again = await service.api.post('/auth/api/v2/register/verify', body, options);
    expect(again.status).toBe(200);
    expect(again.body).toEqual(first.body);
  });

  it('repeats a refusal of a user under the same key', async () => {
    const me = as(service.api, await logIn(service));
    const options = { headers: { 'idempotency-key': aKey() } };
    const first = await me.post('/auth/api/v2/logout', { all_devices: 'no' }, options);
    const second = await me.post('/auth/api/v2/logout', { all_devices: 'no' }, options);
    expectRefusal(second, GeneralErrors.fieldInvalid);
    expect(second.body).toEqual(first.body);
    expect(replayed(second)).toBe('true');
  });

  it('repeats a refusal with its hint', async () => {
    const me = as(service.api, await logIn(service));
    const options = { headers: { 'idempotency-key': aKey() } };
    const first = await me.post('/issuer-apis/ARAVALLI/v2/check-etb', {}, options);
    expectRefusal(first, IssuerErrors.unknown);
    expect(first.text).toContain('Did you mean aravalli?');
    const again = await me.post('/issuer-apis/ARAVALLI/v2/check-etb', {}, options);
    expect([again.body, replayed(again)]).toEqual([first.body, 'true']);
  });

  it('stores no refusal of a call without a session', async () => {
    const countCalls = async () =>
      (
        await service.dataSource.query<[{ calls: number }]>(
          'SELECT count(*)::int AS calls FROM onboarding.idempotent_calls',
        )
      )[0].calls;
    const before = await countCalls();
    const key = aKey();
    for (let call = 0; call < 2; call++) {
      const refused = await register('1', key);
      expectRefusal(refused, LoginErrors.phoneInvalid, LoginErrors.phoneMalformed);
      expect(replayed(refused)).toBeUndefined();
    }
    const phone = aPhone();
    const body = verifyBody(phone, '123456');
    const refused = await service.api.post(VERIFY, body, { headers: { 'idempotency-key': aKey() } });
    expectRefusal(refused, LoginErrors.otpExpired);
    expect(await countCalls()).toBe(before);
    // the key is free for a call that is accepted
    expect((await register(phone, key)).status).toBe(201);
    expect(await countCalls()).toBe(before + 1);
  });

  it('answers 429 to keyed calls of one address without a session beyond a tenth of its calls a minute', async () => {
    const limited = await service.replica({
      RATE_LIMIT_PER_MINUTE: '30',
      TRUSTED_PROXY_HOPS: '1',
      REDIS_KEY_PREFIX: 'keyed:',
    });
    const send = (ip: string, key?: string) =>
      limited.api.post(
        '/auth/register',
        { phone: '1' },
        { headers: { 'x-forwarded-for': ip, ...(key ? { 'idempotency-key': key } : {}) } },
      );
    const answers = await inParallel(5, () => send('203.0.113.7', aKey()));
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(3);
    for (const refused of answers.filter(({ status }) => status !== 400)) {
      expectRefusal(refused, GeneralErrors.tooManyRequests);
      expect(Number(retryAfter(refused))).toBeGreaterThan(0);
    }
    expect((await send('203.0.113.7')).status).toBe(400);
    expect((await send('203.0.113.8', aKey())).status).toBe(400);
  });

  describe('a second request under the key', () => {
    const LOGOUT = '/auth/api/v2/logout';
    const FIRST = {
      path: `${LOGOUT}?a=1&b=2&b=3`,
      body: { all_devices: 'no', note: { x: [1, 2], y: null } },
    };
    let me: ReturnType<typeof as>;
    beforeAll(async () => {
      me = as(service.api, await logIn(service));
    });

    const sendFirst = async () => {
      const options = { headers: { 'idempotency-key': aKey() } };
      expectRefusal(await me.post(FIRST.path, FIRST.body, options), GeneralErrors.fieldInvalid);
      return options;
    };

    it.each([
      ['members in another order', FIRST.path, { note: { y: null, x: [1, 2] }, all_devices: 'no' }],
      ['query parameters in another order', `${LOGOUT}?b=2&b=3&a=1`, FIRST.body],
      ['a query written in another way', `${LOGOUT}?%61=%31&b=2&b=3`, FIRST.body],
    ])('gets the first answer with %s', async (_, path, body) => {
      const options = await sendFirst();
      const again = await me.post(path, body, options);
      expectRefusal(again, GeneralErrors.fieldInvalid);
      expect(replayed(again)).toBe('true');
    });

    it.each([
      ['another body', 'body differs', FIRST.path, { ...FIRST.body, all_devices: false }],
      ['items in another order', 'body differs', FIRST.path, { ...FIRST.body, note: { x: [2, 1], y: null } }],
      ['a further parameter', 'query differs', `${FIRST.path}&c=1`, FIRST.body],
      ['values of one parameter in another order', 'query differs', `${LOGOUT}?a=1&b=3&b=2`, FIRST.body],
      ['another path', 'path differs', FIRST.path.replace(LOGOUT, '/api/v1/consents'), FIRST.body],
      [
        'everything else',
        'path, query, and body differ',
        '/api/v1/consents?a=2',
        { purpose: 'CKYC', notice_version: '2026-11' },
      ],
    ])('is refused with %s, and says that the %s', async (_, difference, path, body) => {
      const refused = await me.post(path, body, await sendFirst());
      expectRefusal(refused, IdempotencyErrors.keyReused);
      expect(refused.text).toContain(
        `The ${difference} from the first call with this Idempotency-Key. Repeat that call unchanged, or use a new key.`,
      );
    });

    it('gets the first answer of a former release, whose refusal names no part', async () => {
      const options = await sendFirst();
      await service.dataSource.query('UPDATE onboarding.idempotent_calls SET part_digests = NULL');
      expect(replayed(await me.post(FIRST.path, FIRST.body, options))).toBe('true');
      const refused = await me.post(FIRST.path, {}, options);
      expectRefusal(refused, IdempotencyErrors.keyReused);
      expect(refused.text).toContain('The request differs');
    });

    it('is found by a former release, which compares the request as written', async () => {
      await sendFirst();
      const written = JSON.stringify(['POST', FIRST.path, FIRST.body]);
      const fingerprint = service.app.get(KeyedHash).digest('idempotent_calls.fingerprint', written);
      const { length } = await service.dataSource.query<object[]>(
        'SELECT id FROM onboarding.idempotent_calls WHERE fingerprint = $1',
        [fingerprint],
      );
      expect(length).toBeGreaterThan(0);
    });
  });

  it('keeps a logout under the same key of two sessions of a user apart', async () => {
    const phone = aPhone();
    const options = { headers: { 'idempotency-key': aKey() } };
    const [first, second] = [await logIn(service, phone), await logIn(service, phone)];
    for (const session of [first, second]) {
      const answer = await as(service.api, session).post('/auth/api/v2/logout', {}, options);
      expect([answer.status, replayed(answer)]).toEqual([200, undefined]);
      expectRefusal(await as(service.api, session).get('/api/v1/consents'), SessionErrors.ended);
    }
  });

  it('answers 429 to keyed calls of a user beyond the number stored for a day', async () => {
    const me = as(service.api, await logIn(service));
    const consent = { purpose: 'CKYC', notice_version: '2026-11' };
    const earlier = { headers: { 'idempotency-key': aKey() } };
    const answered = await me.post('/api/v1/consents', consent, earlier);
    const full = jest.spyOn(CallsOfUsers.prototype, 'secondsUntilNext').mockReturnValue(60);
    try {
      const refused = await me.post('/api/v1/consents', consent, { headers: { 'idempotency-key': aKey() } });
      expectRefusal(refused, GeneralErrors.tooManyRequests);
      expect(retryAfter(refused)).toBe('60');
      expect((await me.post('/api/v1/consents', consent)).status).toBe(200);
      // which stores nothing more
      const repeated = await me.post('/api/v1/consents', consent, earlier);
      expect([repeated.body, replayed(repeated)]).toEqual([answered.body, 'true']);
    } finally {
      full.mockRestore();
    }
  });

  it('keeps the same key of two users apart', async () => {
    const options = { headers: { 'idempotency-key': aKey() } };
    const [a, b] = [as(service.api, await logIn(service)), as(service.api, await logIn(service))];
    expectRefusal(
      await a.post('/auth/api/v2/logout', { all_devices: 'no' }, options),
      GeneralErrors.fieldInvalid,
    );
    const other = await b.post('/auth/api/v2/logout', {}, options);
    expect([other.status, replayed(other)]).toEqual([200, undefined]);
  });

  it('stores no answer that may differ when the call is repeated', async () => {
    const [phone, key] = [aPhoneEnding('0503'), aKey()];
    expectRefusal(await register(phone, key), LoginErrors.smsUnavailable);
    const again = await register(phone, key);
    expectRefusal(again, LoginErrors.smsUnavailable);
    expect(replayed(again)).toBeUndefined();
  });

  it('rejects a key of 256 characters', async () => {
    expectRefusal(await register(aPhone(), 'k'.repeat(256)), GeneralErrors.fieldInvalid);
  });

  it('forgets a key after a day', async () => {
    const [phone, key] = [aPhone(), aKey()];
    await register(phone, key);
    await age('25 hours');
    expect(replayed(await register(phone, key))).toBeUndefined();
  });

  it('logs in with the code that the same call had checked before its replica died', async () => {
    const { body, options, first } = await logInUnderKey();
    await loseAnswers();
    await abandon();
    // other callers find the code used
    for (const other of [{}, { headers: { 'idempotency-key': aKey() } }])
      expectRefusal(await service.api.post(VERIFY, body, other), LoginErrors.otpExpired);
    const again = await service.api.post(VERIFY, body, options);
    expect([again.status, replayed(again)]).toEqual([200, undefined]);
    expect(again.body.payload.user_id).toBe(first.body.payload.user_id);
    const { status } = await as(service.api, again.body.payload).get('/api/v1/user-sessions');
    expect(status).toBe(200);
    expect((await service.api.post(VERIFY, body, options)).body).toEqual(again.body);
  });

  it('refuses the code of a dead call to the same call with another code, and after a minute', async () => {
    const { body, options } = await logInUnderKey();
    await loseAnswers();
    await abandon();
    const other = { ...body, otp: body.otp === '111111' ? '222222' : '111111' };
    expectRefusal(await service.api.post(VERIFY, other, options), IdempotencyErrors.keyReused);
    service.clock.advanceSeconds(60);
    expectRefusal(await service.api.post(VERIFY, body, options), LoginErrors.otpExpired);
  });

  it('takes over an abandoned call with its members in another order', async () => {
    const { body, options, first } = await logInUnderKey();
    await loseAnswers();
    await abandon();
    const reversed = Object.fromEntries(Object.entries(body).reverse());
    const again = await service.api.post(VERIFY, reversed, options);
    expect([again.status, again.body.payload.user_id]).toEqual([200, first.body.payload.user_id]);
  });

  it('takes over an abandoned call once under parallel repeats', async () => {
    const { body, options } = await logInUnderKey();
    await loseAnswers();
    await abandon();
    const answers = await inParallel(8, () => service.api.post(VERIFY, body, options));
    expect(answers.filter((answer) => answer.status === 200 && !replayed(answer))).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 200))
      expectRefusal(answer, IdempotencyErrors.callRunning);
  });

  it('repeats an answer with credentials for only a minute, since a used code must not stay valid', async () => {
    const phone = aPhone();
    await service.api.post('/auth/register', { phone });
    const body = verifyBody(phone, await codeOf(phone));
    const options = { headers: { 'idempotency-key': aKey() } };
    const first = await service.api.post('/auth/api/v2/register/verify', body, options);
    await age('61 seconds');
    service.clock.advanceSeconds(61);
    expectRefusal(
      await service.api.post('/auth/api/v2/register/verify', body, options),
      LoginErrors.otpExpired,
    );
    const refresh = { refresh_token: first.body.payload.refresh_token as string };
    const again = { headers: { 'idempotency-key': aKey() } };
    expect((await service.api.post('/auth/api/v2/token/refresh', refresh, again)).status).toBe(200);
    await age('61 seconds');
    const repeat = await service.api.post('/auth/api/v2/token/refresh', refresh, again);
    expect([repeat.status, replayed(repeat)]).toEqual([200, undefined]);
  });

  it('adds a record once, even when the call was abandoned after adding it', async () => {
    const me = as(service.api, await logIn(service));
    const options = { headers: { 'idempotency-key': aKey() } };
    const nominees = [{ name: 'Meera Rao', relationship: 'SPOUSE', nomination_type: 'SUCCESSIVE' }];
    const first = await me.post('/api/v1/user-nominee', { nominees }, options);
    expect(first.status).toBe(201);
    await loseAnswers();
    await abandon();
    const again = await me.post('/api/v1/user-nominee', { nominees }, options);
    expect([again.status, replayed(again)]).toEqual([201, undefined]);
    expect(again.body).toEqual(first.body);
    expect((await me.get('/api/v1/user-nominee')).body.payload.nominees).toHaveLength(1);
  });

  it('stores neither the key nor the answer in clear', async () => {
    const [phone, key] = [aPhone(), aKey()];
    await register(phone, key);
    const rows = await service.dataSource.query<object[]>(
      `SELECT id, encode(call_index, 'escape') AS i, encode(fingerprint, 'escape') AS f, answer_encrypted
         FROM onboarding.idempotent_calls`,
    );
    expect(rows.length).toBeGreaterThan(0);
    const dump = JSON.stringify(rows);
    for (const secret of [phone, key, 'attemptsUsed']) expect(dump).not.toContain(secret);
  });

  it('documents the Idempotency-Key header on every POST but those that change nothing by a repeat', () => {
    const without = Object.entries(service.app.get(ApiDocument).get().paths).filter(
      ([, { post }]) =>
        post && !post.parameters?.some((each) => 'name' in each && each.name === 'Idempotency-Key'),
    );
    expect(without.map(([path]) => path)).toEqual([
      '/partner/v1/events/{event_id}/replay',
      '/api/v1/webhooks/{vendor}',
      '/api/v1/user-data-export',
    ]);
  });

  it('serves one of twelve parallel calls under one key, and returns 409 or the same answer to the others', async () => {
    const [phone, key] = [aPhone(), aKey()];
    const second = await service.replica();
    const answers = await inParallel(12, (index) =>
      register(phone, key, index % 2 ? second.api : service.api),
    );
    for (const answer of answers) {
      if (answer.status === 409) expectRefusal(answer, IdempotencyErrors.callRunning);
      else expect([answer.status, answer.body.payload.attemptsUsed]).toEqual([201, 0]);
    }
    expect(answers.filter((answer) => answer.status === 201 && !replayed(answer))).toHaveLength(1);
    expect(await inboxOf(phone)).toHaveLength(1);
  });
});

/** Imitates the death of a replica after its work: no stored answer says how the calls ended. */
async function loseAnswers(): Promise<void> {
  await service.dataSource.query('UPDATE onboarding.idempotent_calls SET answer_encrypted = NULL');
}

/** Makes the stored calls look as if they had run past their deadline. The minute of their answers stays. */
const abandon = () =>
  service.dataSource.query('UPDATE onboarding.idempotent_calls SET started_at = started_at - $1::interval', [
    PAST_DEADLINE,
  ]);

async function age(by: string): Promise<void> {
  await service.dataSource.query(
    `UPDATE onboarding.idempotent_calls
        SET started_at = started_at - $1::interval, expires_at = expires_at - $1::interval`,
    [by],
  );
}
