import type { RegisterPayload } from '@fd/contracts';
import { LoginErrors } from '@fd/errors';
import { REDIS } from '@fd/platform';
import { expectRefusal, expectUnusable } from '@fd/testing';
import type { Redis } from 'ioredis';
import { aPhone, aPhoneEnding, inboxOf } from '../support/inbox.js';
import { startService, type TestService } from '../support/users-app.js';

const PATH = '/auth/register';

describe('POST /auth/register', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());

  const register = (phone: string) => service.api.post(PATH, { phone });
  const payloadOf = (response: { body: unknown }) => (response.body as { payload: RegisterPayload }).payload;

  it('sends a code: HTTP 201 with 200 in the body', async () => {
    const phone = aPhone();
    const before = Date.now();
    const response = await register(phone);
    expect(response.status).toBe(201);
    expect(response.body).toEqual({
      success: 1,
      statusCode: 200,
      message: 'OTP sent successfully',
      payload: {
        attemptsUsed: 0,
        attemptsLeft: 4,
        otpExpiresAt: expect.any(String) as string,
        retryAfterSeconds: 0,
      },
    });
    const lifeMs = Date.parse(payloadOf(response).otpExpiresAt) - before;
    expect(lifeMs).toBeGreaterThan(590_000);
    expect(lifeMs).toBeLessThan(610_000);
    const [message] = await inboxOf(phone);
    expect(message?.code).toMatch(/^[0-9]{6}$/);
  });

  it('returns the request id of the caller and forbids caching', async () => {
    const { headers } = await service.api.post(
      PATH,
      { phone: aPhone() },
      { headers: { 'x-request-id': 'caller-1234.5' } },
    );
    expect(headers).toMatchObject({ 'x-request-id': 'caller-1234.5', 'cache-control': 'no-store' });
  });

  it('goes on when Redis has lost its scripts', async () => {
    await register(aPhone());
    await service.app.get<Redis>(REDIS).script('FLUSH');
    const phone = aPhone();
    expect(payloadOf(await register(phone))).toMatchObject({ attemptsUsed: 0 });
    expect(payloadOf(await register(phone))).toMatchObject({ attemptsUsed: 1 });
  });

  it('counts five sends, delivers the same code with each, then says how long to wait', async () => {
    const phone = aPhone();
    for (let used = 0; used < 5; used++) {
      expect(payloadOf(await register(phone))).toMatchObject({ attemptsUsed: used, attemptsLeft: 4 - used });
    }
    const refused = await register(phone);
    expectRefusal(refused, LoginErrors.tooManySends);
    const retryAfter = Number(refused.headers['retry-after']);
    expect(retryAfter).toBeGreaterThan(800);
    expect(retryAfter).toBeLessThanOrEqual(900);
    const codes = (await inboxOf(phone)).map(({ code }) => code);
    expect(codes).toHaveLength(5);
    expect(new Set(codes).size).toBe(1);
  });

  it('frees the window after 15 minutes, and sends a new code in the last two minutes of the old one', async () => {
    const local = await service.replica();
    const phone = aPhone();
    const send = () => local.api.post(PATH, { phone });
    await send();
    local.clock.advanceSeconds(479);
    await send();
    local.clock.advanceSeconds(2);
    await send();
    const [third, second, first] = (await inboxOf(phone)).map(({ code }) => code);
    expect(second).toBe(first);
    expect(third).not.toBe(first);
    await send();
    expect(payloadOf(await send())).toMatchObject({
      attemptsUsed: 4,
      attemptsLeft: 0,
      retryAfterSeconds: 419,
    });
    local.clock.advanceSeconds(420);
    expect(payloadOf(await send())).toMatchObject({ attemptsUsed: 4, attemptsLeft: 0 });
  });

  it('20 sends within a day are all that a phone gets, and every answer says how long to wait', async () => {
    const local = await service.replica();
    const phone = aPhone();
    const send = () => local.api.post(PATH, { phone });
    for (let i = 0; i < 20; i++) {
      expect((await send()).status).toBe(201);
      local.clock.advanceSeconds(301);
    }
    const refused = await send();
    expectRefusal(refused, LoginErrors.tooManySends);
    const waitSeconds = Number(refused.headers['retry-after']);
    expect(waitSeconds).toBeGreaterThan(70_000);
    local.clock.advanceSeconds(waitSeconds);
    expect(payloadOf(await send())).toMatchObject({ attemptsUsed: 0, attemptsLeft: 0 });
  });

  it('says in the message how long the code is still valid', async () => {
    const local = await service.replica();
    const phone = aPhone();
    await local.api.post(PATH, { phone });
    local.clock.advanceSeconds(400);
    await local.api.post(PATH, { phone });
    const [second, first] = await inboxOf(phone);
    expect([first?.text, second?.text]).toEqual([
      expect.stringContaining('valid for 10 minutes'),
      expect.stringContaining('valid for 3 minutes'),
    ]);
  });

  describe('invalid phones', () => {
    const both = [LoginErrors.phoneInvalid, LoginErrors.phoneMalformed] as const;
    it.each([
      ['missing', undefined],
      ['empty', ''],
      ['null', null],
      ['11 digits', '91981234567'],
      ['13 digits', '9198123456789'],
      ['letters', '91981234567a'],
      ['special characters', '9198123#5678'],
      ['plus sign', '+919812345678'],
      ['embedded space', '91981 234567'],
      ['leading space', ' 919812345678'],
      ['trailing space', '919812345678 '],
      ['trailing newline', '919812345678\n'],
      ['too short', '91'],
      ['wrong country prefix', '929812345678'],
      ['decimal', '91981234567.8'],
      ['unicode digits', '９１９８１２３４５６７８'],
      ['emoji', '9198123456😀'],
      ['SQL', "919812345678' OR '1'='1"],
      ['script', '<script>alert(1)</script>'],
      ['NUL byte', '91981234567\u0000'],
      ['lone surrogate', '91981234567\ud800'],
      ['extremely long', '9'.repeat(50_000)],
      ['a number', 919812345678],
      ['a boolean', true],
      ['an array', ['919812345678']],
      ['an object', { $gt: '' }],
    ])('%s', async (_name, phone) => {
      const response = await service.api.post(PATH, { phone });
      expectRefusal(response, ...both);
      expect((response.body as { message: string }).message).toBe('Bad request');
      expect((response.body as { error: { f_error_reason: string }[] }).error[0]?.f_error_reason).toBe(
        'phone',
      );
    });

    it('ten digits without the prefix: 1208 alone', async () => {
      expectRefusal(await register('9812345678'), LoginErrors.phoneInvalid);
    });

    it('are never counted against a phone', async () => {
      const phone = aPhone();
      for (let i = 0; i < 10; i++) await register(`${phone} `);
      expect(payloadOf(await register(phone)).attemptsUsed).toBe(0);
    });
  });

  describe('unusable bodies', () => {
    const valid = JSON.stringify({ phone: '919812345678' });
    it.each([
      ['no body and no media type', undefined, undefined],
      ['empty body', '', 'application/json'],
      ['text/plain', valid, 'text/plain'],
      ['a form', 'phone=919812345678', 'application/x-www-form-urlencoded'],
      ['XML', '<phone/>', 'application/xml'],
      ['JSON in UTF-16', Buffer.from(valid, 'utf16le'), 'application/json; charset=utf-16le'],
      ['JSON in UTF-7', valid, 'application/json; charset=utf-7'],
      ['an array', '[]', 'application/json'],
      ['a text', '"919812345678"', 'application/json'],
      ['null', 'null', 'application/json'],
      ['too deep', `{"phone":${'['.repeat(3_000)}${']'.repeat(3_000)}}`, 'application/json'],
      [
        'too many keys',
        JSON.stringify(Object.fromEntries(Array.from({ length: 3_000 }, (_, i) => [`k${i}`, 1]))),
        'application/json',
      ],
      ['too large', JSON.stringify({ phone: '9'.repeat(200_000) }), 'application/json'],
    ])('%s', async (_name, body, type) => {
      expectUnusable(await service.api.raw('post', PATH, body, type), 'Bad request');
    });

    it('compressed bodies are not unpacked', async () => {
      const response = await service.api.raw('post', PATH, valid, 'application/json', {
        headers: { 'content-encoding': 'gzip' },
      });
      expectUnusable(response, 'Bad request');
    });

    it('accepts a charset of utf-8 and a media type in any case', async () => {
      const body = JSON.stringify({ phone: aPhone() });
      expect((await service.api.raw('post', PATH, body, 'Application/JSON; charset=UTF-8')).status).toBe(201);
    });

    it.each([
      ['cut off', '{"phone": "9198'],
      ['no JSON at all', 'phone=919812345678'],
      ['single quotes', "{'phone': '919812345678'}"],
      ['trailing comma', '{"phone": "919812345678",}'],
      ['broken UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d])],
      ['control character', '{"phone": "\u0001"}'],
    ])('malformed JSON: %s', async (_name, body) => {
      const response = await service.api.raw('post', PATH, body, 'application/json');
      expect(response.status).toBe(400);
      expect(response.body).toEqual({
        success: 0,
        statusCode: 400,
        message: 'Bad request',
        payload: {},
        error: { statusCode: 400, message: expect.stringMatching(/JSON/) as string, error: 'Bad Request' },
      });
      expect(Object.keys(response.headers).filter((name) => name.startsWith('x-ratelimit'))).toEqual([]);
      expect(response.headers['x-request-id']).toBeTruthy();
    });

    it('never echoes what could not be parsed', async () => {
      for (const body of ['ABCDE1234F', '{"pan": ABCDE1234F}', '{"pan":"ABCDE1234F"', '{"a":1} ABCDE1234F']) {
        const response = await service.api.raw('post', PATH, body, 'application/json');
        expect(response.text).not.toContain('ABCDE');
      }
    });

    it('are counted by the rate limit like any other call', async () => {
      const remaining = async () =>
        Number((await service.api.post(PATH, {})).headers['x-ratelimit-remaining']);
      const before = await remaining();
      await service.api.raw('post', PATH, '{', 'application/json');
      expect(await remaining()).toBeLessThanOrEqual(before - 2);
    });
  });

  it('ignores fields that it does not know, and keys that reach prototypes', async () => {
    const body = `{"phone":"${aPhone()}","__proto__":{"admin":true},"constructor":{"prototype":{"x":1}},"extra":[1]}`;
    expect((await service.api.raw('post', PATH, body, 'application/json')).status).toBe(201);
    expect(({} as { admin?: boolean }).admin).toBeUndefined();
  });

  describe('when providers fail', () => {
    it('answers 503 when all of them refuse, and does not count the send', async () => {
      const phone = aPhoneEnding('0503');
      for (let i = 0; i < 7; i++) {
        const response = await register(phone);
        expectRefusal(response, LoginErrors.smsUnavailable);
        expect(Number(response.headers['retry-after'])).toBeGreaterThan(0);
      }
    });

    it('answers 201 when they are silent, since the code may still arrive', async () => {
      const phone = aPhoneEnding('0504');
      expect(payloadOf(await register(phone)).attemptsUsed).toBe(0);
      expect(payloadOf(await register(phone)).attemptsUsed).toBe(1);
    });
  });

  describe('concurrency', () => {
    it('of 12 parallel sends to one phone exactly five are counted, each once', async () => {
      const other = await service.replica();
      const phone = aPhone();
      const responses = await Promise.all(
        Array.from({ length: 12 }, (_, i) => (i % 2 ? other : service).api.post(PATH, { phone })),
      );
      const accepted = responses.filter(({ status }) => status === 201);
      expect(accepted.map((response) => payloadOf(response).attemptsUsed).sort()).toEqual([0, 1, 2, 3, 4]);
      const refused = responses.filter(({ status }) => status !== 201);
      expect(refused).toHaveLength(7);
      for (const response of refused) expectRefusal(response, LoginErrors.tooManySends);
      expect(await inboxOf(phone)).toHaveLength(5);
    });
  });

  describe('limits on addresses and number prefixes', () => {
    it('suspends sends of one address beyond its hourly limit, whatever the phone', async () => {
      const limited = await service.replica({ OTP_SENDS_PER_IP_HOUR: '2', TRUSTED_PROXY_HOPS: '1' });
      const from = (ip: string) =>
        limited.api.post(PATH, { phone: aPhone() }, { headers: { 'x-forwarded-for': ip } });
      expect((await from('203.0.113.7')).status).toBe(201);
      expect((await from('203.0.113.7')).status).toBe(201);
      const refused = await from('203.0.113.7');
      expectRefusal(refused, LoginErrors.sendsSuspended);
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(3_500);
      expect((await from('203.0.113.8')).status).toBe(201);
    });

    it('neither refused nor undelivered sends use up what a prefix shares', async () => {
      const limited = await service.replica({ OTP_SENDS_PER_PREFIX_HOUR: '7' });
      const send = (phone: string) => limited.api.post(PATH, { phone });
      for (let i = 0; i < 12; i++) await send('917600110001');
      for (let i = 0; i < 4; i++) expectRefusal(await send('917600110503'), LoginErrors.smsUnavailable);
      expect((await send('917600120002')).status).toBe(201);
      expect((await send('917600130003')).status).toBe(201);
      expectRefusal(await send('917600140004'), LoginErrors.sendsSuspended);
    });

    it('suspends a prefix whose codes are hardly ever verified, once they had their time', async () => {
      const limited = await service.replica({ OTP_MIN_CONVERSION_PERCENT: '10' });
      const redis = limited.app.get<Redis>(REDIS);
      const prefix = '9175009';
      expect((await limited.api.post(PATH, { phone: `${prefix}00001` })).status).toBe(201);
      const prefixOfKeys = service.environment['REDIS_KEY_PREFIX']!;
      const watched = (await redis.keys(`${prefixOfKeys}watch:{prefix:*`)).map((key) =>
        key.slice(prefixOfKeys.length),
      );
      for (const key of watched) await redis.hset(key, { sent: 250, verified: 20 });
      expect((await limited.api.post(PATH, { phone: `${prefix}00002` })).status).toBe(201);
      for (const key of watched) await redis.pexpire(key, 2_900_000);
      const refused = await limited.api.post(PATH, { phone: `${prefix}00003` });
      expectRefusal(refused, LoginErrors.sendsSuspended);
      expect(Number(refused.headers['retry-after'])).toBe(43_200);
    });

    it('suspends a number prefix beyond its hourly limit', async () => {
      const limited = await service.replica({ OTP_SENDS_PER_PREFIX_HOUR: '2' });
      const send = (phone: string) => limited.api.post(PATH, { phone });
      const prefix = '9177001';
      expect((await send(`${prefix}10001`)).status).toBe(201);
      expect((await send(`${prefix}20002`)).status).toBe(201);
      expectRefusal(await send(`${prefix}30003`), LoginErrors.sendsSuspended);
      expect((await send('917700210001')).status).toBe(201);
    });
  });
});
