import type { RegisterPayload } from '@fd/contracts';
import { GeneralErrors, LoginErrors } from '@fd/errors';
import { REDIS } from '@fd/platform';
import { expectRefusal, expectBareRefusal, inParallel } from '@fd/testing';
import type { Redis } from 'ioredis';
import { loginSubject } from '../../src/identity/otp/otp-code.js';
import { OTP_POLICY } from '../../src/identity/otp/otp.policy.js';
import { OtpService } from '../../src/identity/otp/otp.service.js';
import { aPhone, aPhoneEnding, codeOf, inboxOf } from '../support/inbox.js';
import { verifyBody } from '../support/login.js';
import { startService, type TestService, type UsersApp } from '../support/users-app.js';

const PATH = '/auth/register';

describe('POST /auth/register', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());

  const register = (phone: string) => service.api.post(PATH, { phone });
  const payloadOf = (response: { body: unknown }) => (response.body as { payload: RegisterPayload }).payload;

  it('ends the message with the line for browsers if a domain is set', async () => {
    const replica = await service.replica({ SMS_AUTOFILL_DOMAIN: 'app.deposits.example' });
    const phone = aPhone();
    expect((await replica.api.post(PATH, { phone })).status).toBe(201);
    const [message] = await inboxOf(phone);
    expect(message!.text.split('\n')).toEqual([
      `${message!.code} is your code to log in. It is valid for a few minutes. Do not share it with anyone.`,
      `@app.deposits.example #${message!.code}`,
    ]);
    expect(
      (await replica.api.post('/auth/api/v2/register/verify', verifyBody(phone, message!.code!))).status,
    ).toBe(200);
  });

  it('sends a code of six digits and returns 201 with status 200 in the body', async () => {
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
    const expiresAt = Date.parse(payloadOf(response).otpExpiresAt);
    expect(expiresAt).toBeGreaterThanOrEqual(before + 600_000);
    expect(expiresAt).toBeLessThanOrEqual(Date.now() + 600_000);
    const [message] = await inboxOf(phone);
    expect(message?.code).toMatch(/^[0-9]{6}$/);
  });

  it('returns the X-Request-ID of the caller and forbids caching', async () => {
    const id = '0198c0de-1a2b-7c3d-8e4f-00000000000a';
    const { headers } = await service.api.post(
      PATH,
      { phone: aPhone() },
      { headers: { 'x-request-id': id } },
    );
    expect(headers).toMatchObject({ 'x-request-id': id, 'cache-control': 'no-store' });
  });

  it('sends and counts codes after Redis has lost its scripts', async () => {
    await register(aPhone());
    await service.app.get<Redis>(REDIS).script('FLUSH');
    const phone = aPhone();
    expect(payloadOf(await register(phone))).toMatchObject({ attemptsUsed: 0 });
    expect(payloadOf(await register(phone))).toMatchObject({ attemptsUsed: 1 });
  });

  it('sends the same code five times in 15 minutes, then returns 429 with Retry-After', async () => {
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

  it('accepts sends again after 15 minutes, and sends a new code in the last two minutes of the old one', async () => {
    const local = await service.replica();
    const phone = aPhone();
    const send = () => local.api.post(PATH, { phone });
    await send();
    local.clock.advanceSeconds(440);
    await send();
    local.clock.advanceSeconds(41);
    await send();
    const [third, second, first] = (await inboxOf(phone)).map(({ code }) => code);
    expect(second).toBe(first);
    expect(third).not.toBe(first);
    await send();
    const last = payloadOf(await send());
    expect(last).toMatchObject({ attemptsUsed: 4, attemptsLeft: 0 });
    // 15 minutes after the first one, less the time that the test has taken
    expect(last.retryAfterSeconds).toBeGreaterThan(300);
    expect(last.retryAfterSeconds).toBeLessThanOrEqual(419);
    local.clock.advanceSeconds(420);
    expect(payloadOf(await send())).toMatchObject({ attemptsUsed: 4, attemptsLeft: 0 });
  });

  it('sends 20 codes a day to a phone, then returns 429 with Retry-After', async () => {
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

  it('states in the message how long the code is still valid', async () => {
    const local = await service.replica();
    const phone = aPhone();
    await local.api.post(PATH, { phone });
    local.clock.advanceSeconds(370);
    await local.api.post(PATH, { phone });
    const [second, first] = await inboxOf(phone);
    expect([first?.text, second?.text]).toEqual([
      expect.stringContaining('valid for 10 minutes'),
      expect.stringContaining('valid for 3 minutes'),
    ]);
  });

  it('accepts the charset UTF-8, and a media type in any letter case', async () => {
    const body = JSON.stringify({ phone: aPhone() });
    expect((await service.api.raw('post', PATH, body, 'Application/JSON; charset=UTF-8')).status).toBe(201);
  });

  it('ignores unknown fields and keys that reach prototypes', async () => {
    const body = `{"phone":"${aPhone()}","__proto__":{"admin":true},"constructor":{"prototype":{"x":1}},"extra":[1]}`;
    expect((await service.api.raw('post', PATH, body, 'application/json')).status).toBe(201);
    expect(({} as { admin?: boolean }).admin).toBeUndefined();
  });

  describe('limits on IP addresses and number prefixes', () => {
    it('returns 429 with Retry-After to sends of one IP address beyond its hourly limit, over all phones', async () => {
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

    it('counts neither refused nor undelivered sends against the limit of a number prefix', async () => {
      const limited = await service.replica({ OTP_SENDS_PER_PREFIX_HOUR: '7' });
      const send = (phone: string) => limited.api.post(PATH, { phone });
      for (let i = 0; i < 12; i++) await send('917600110001');
      for (let i = 0; i < 4; i++) expectRefusal(await send('917600110503'), LoginErrors.smsUnavailable);
      expect((await send('917600120002')).status).toBe(201);
      expect((await send('917600130003')).status).toBe(201);
      expectRefusal(await send('917600140004'), LoginErrors.sendsSuspended);
    });

    describe('when codes are rarely verified', () => {
      let limited: UsersApp;
      beforeAll(async () => {
        limited = await service.replica({ OTP_MIN_CONVERSION_PERCENT: '10', TRUSTED_PROXY_HOPS: '1' });
      });
      afterEach(() => limited.clock.reset());

      const sendFrom = (ip: string, phone: string) =>
        limited.api.post(PATH, { phone }, { headers: { 'x-forwarded-for': ip } });
      const phoneIn = (prefix: string, n: number) => `${prefix}1${String(n).padStart(4, '0')}`;
      const suspendedFor = async (ip: string, phone: string) => {
        const refused = await sendFrom(ip, phone);
        expectRefusal(refused, LoginErrors.sendsSuspended);
        return Number(refused.headers['retry-after']);
      };
      /**
       * Counts sends of codes to unverified phones of a prefix, then lets the last code expire. It sends no messages, and without HTTP it
       * takes a tenth of the time.
       */
      const pump = async (prefix: string, count: number, ipOf: (n: number) => string, first = 0) => {
        const otp = limited.app.get(OtpService);
        const numbers = Array.from({ length: count }, (_, i) => i).values();
        await inParallel(8, async () => {
          for (const i of numbers)
            await otp.send(loginSubject(phoneIn(prefix, first + i), ipOf(i)), () => Promise.resolve());
        });
        limited.clock.advanceSeconds(OTP_POLICY.lifeSeconds);
      };

      it('suspends only the one address behind them for five minutes, not the number prefix', async () => {
        const prefix = '9175009';
        const attacker = '198.51.100.7';
        await pump(prefix, 205, () => attacker);
        expect(await suspendedFor(attacker, phoneIn(prefix, 300))).toBe(300);
        // what is left of the same five minutes
        const left = await suspendedFor(attacker, aPhone());
        expect(left).toBeGreaterThan(240);
        expect(left).toBeLessThanOrEqual(300);
        expect((await sendFrom('203.0.113.9', phoneIn(prefix, 301))).status).toBe(201);
      });

      it('counts few sends of one network against a number prefix, over all its addresses', async () => {
        const prefix = '9175011';
        await pump(prefix, 205, (i) => `198.51.101.${i}`);
        for (const ip of ['198.51.101.250', '203.0.113.9'])
          expect((await sendFrom(ip, phoneIn(prefix, 300))).status).toBe(201);
      });

      it('suspends no number prefix for sends from forty networks', async () => {
        const prefix = '9175014';
        await pump(prefix, 205, (i) => `10.${200 + (i % 40)}.0.${i}`);
        expect((await sendFrom('203.0.113.9', phoneIn(prefix, 300))).status).toBe(201);
      });

      it('suspends no number prefix for sends from sixty networks of one provider', async () => {
        const prefix = '9175015';
        await pump(prefix, 205, (i) => `10.77.${i % 60}.${i}`);
        expect((await sendFrom('203.0.113.9', phoneIn(prefix, 300))).status).toBe(201);
      });

      it('suspends a number prefix for sends from fifty networks: five minutes first, then ten', async () => {
        const prefix = '9175012';
        await pump(prefix, 200, (i) => `10.${i % 50}.0.${i}`);
        expect(await suspendedFor('203.0.113.9', phoneIn(prefix, 300))).toBe(300);
        limited.clock.advanceSeconds(300);
        expect((await sendFrom('203.0.113.9', phoneIn(prefix, 301))).status).toBe(201);
        await pump(prefix, 200, (i) => `10.${100 + (i % 50)}.0.${i}`, 2_000);
        expect(await suspendedFor('203.0.113.9', phoneIn(prefix, 700))).toBe(600);
      });
    });

    it('lets one network leave only a fiftieth of the sends of a number prefix unverified', async () => {
      const limited = await service.replica({ OTP_SENDS_PER_PREFIX_HOUR: '750', TRUSTED_PROXY_HOPS: '1' });
      const send = (ip: string, n: number) =>
        limited.api.post(PATH, { phone: `91750131${1_000 + n}` }, { headers: { 'x-forwarded-for': ip } });
      for (let n = 0; n < 15; n++) expect((await send(`198.51.100.${n}`, n)).status).toBe(201);
      expectRefusal(await send('198.51.100.99', 15), LoginErrors.sendsSuspended);
      expect((await send('203.0.113.9', 16)).status).toBe(201);
    });

    it('lets all networks of one provider leave only a tenth of the sends of a number prefix unverified', async () => {
      const limited = await service.replica({ OTP_SENDS_PER_PREFIX_HOUR: '200', TRUSTED_PROXY_HOPS: '1' });
      const send = (ip: string, n: number) =>
        limited.api.post(PATH, { phone: `91750161${1_000 + n}` }, { headers: { 'x-forwarded-for': ip } });
      for (let n = 0; n < 20; n++) expect((await send(`198.51.${n}.7`, n)).status).toBe(201);
      expectRefusal(await send('198.51.100.7', 20), LoginErrors.sendsSuspended);
      expect((await send('203.0.113.9', 21)).status).toBe(201);
    });

    it('counts a code as verified once, and only when its login succeeds', async () => {
      const redis = service.app.get<Redis>(REDIS);
      const prefixOfKeys = service.environment['REDIS_KEY_PREFIX']!;
      const keys = () => redis.keys(`${prefixOfKeys}{otp}:shared:prefix:*`);
      const known = await keys();
      const phone = '917500810001';
      expect((await register(phone)).status).toBe(201);
      const [key] = (await keys()).filter((name) => !known.includes(name));
      const counts = () => redis.hgetall(key!.slice(prefixOfKeys.length));
      const verify = async () =>
        service.api.post('/auth/api/v2/register/verify', verifyBody(phone, await codeOf(phone)));
      await service.dataSource.query('ALTER TABLE onboarding.sessions RENAME TO sessions_away');
      const failed = await verify();
      await service.dataSource.query('ALTER TABLE onboarding.sessions_away RENAME TO sessions');
      expectRefusal(failed, GeneralErrors.internal);
      expect(await counts()).toEqual({ sent: '1', verified: '0' });
      expect((await verify()).status).toBe(200);
      expect(await counts()).toEqual({ sent: '1', verified: '1' });
    });

    it('suspends sends to a number prefix beyond its hourly limit for five minutes, and for ten if they continue', async () => {
      const limited = await service.replica({ OTP_SENDS_PER_PREFIX_HOUR: '8', TRUSTED_PROXY_HOPS: '1' });
      let sent = 0;
      const send = (prefix: string) =>
        limited.api.post(
          PATH,
          { phone: `${prefix}1${1_000 + sent++}` },
          { headers: { 'x-forwarded-for': `10.9.${sent}.7` } },
        );
      const sendAll = async (count: number) => {
        for (let i = 0; i < count; i++) expect((await send('9177001')).status).toBe(201);
      };
      const expectSuspended = async (seconds: number) => {
        const refused = await send('9177001');
        expectRefusal(refused, LoginErrors.sendsSuspended);
        expect(refused.headers['retry-after']).toBe(String(seconds));
      };
      await sendAll(8);
      await expectSuspended(300);
      expect((await send('9177002')).status).toBe(201);
      limited.clock.advanceSeconds(300);
      // the rest of the hour after a suspension
      await sendAll(2);
      await expectSuspended(600);
      limited.clock.reset();
    });
  });

  describe('while the SMS providers fail', () => {
    it('returns 503 and counts no send when every SMS provider refuses', async () => {
      const phone = aPhoneEnding('0503');
      for (let i = 0; i < 7; i++) {
        const response = await register(phone);
        expectRefusal(response, LoginErrors.smsUnavailable);
        expect(Number(response.headers['retry-after'])).toBeGreaterThan(0);
      }
    });
  });

  describe('invalid phones', () => {
    const both = [LoginErrors.phoneInvalid, LoginErrors.phoneMalformed] as const;
    it.each([
      ['that is missing', undefined],
      ['that is empty', ''],
      ['that is null', null],
      ['of 11 digits', '91981234567'],
      ['of 13 digits', '9198123456789'],
      ['with letters', '91981234567a'],
      ['with special characters', '9198123#5678'],
      ['with a plus sign', '+919812345678'],
      ['with an embedded space', '91981 234567'],
      ['with a leading space', ' 919812345678'],
      ['with a trailing space', '919812345678 '],
      ['with a trailing newline', '919812345678\n'],
      ['that is too short', '91'],
      ['with the wrong country prefix', '929812345678'],
      ['with a decimal point', '91981234567.8'],
      ['of Unicode digits', '９１９８１２３４５６７８'],
      ['with an emoji', '9198123456😀'],
      ['with SQL', "919812345678' OR '1'='1"],
      ['that is a script', '<script>alert(1)</script>'],
      ['with a NUL byte', '91981234567\u0000'],
      ['with a lone surrogate', '91981234567\ud800'],
      ['that is extremely long', '9'.repeat(50_000)],
      ['that is a number', 919812345678],
      ['that is a boolean', true],
      ['that is an array', ['919812345678']],
      ['that is an object', { $gt: '' }],
    ])('rejects a phone %s', async (_name, phone) => {
      const response = await service.api.post(PATH, { phone });
      expectRefusal(response, ...both);
      expect((response.body as { message: string }).message).toBe('Bad request');
      expect((response.body as { error: { f_error_reason: string }[] }).error[0]?.f_error_reason).toBe(
        'phone',
      );
    });

    it('rejects a phone without the country prefix with exactly one error', async () => {
      expectRefusal(await register('9812345678'), LoginErrors.phoneInvalid);
    });

    it('does not count rejected phones as sends', async () => {
      const phone = aPhone();
      for (let i = 0; i < 10; i++) await register(`${phone} `);
      expect(payloadOf(await register(phone)).attemptsUsed).toBe(0);
    });
  });

  describe('unusable bodies', () => {
    const valid = JSON.stringify({ phone: '919812345678' });
    it.each([
      ['no body and no media type', undefined, undefined],
      ['an empty body', '', 'application/json'],
      ['plain text', valid, 'text/plain'],
      ['a form', 'phone=919812345678', 'application/x-www-form-urlencoded'],
      ['XML', '<phone/>', 'application/xml'],
      ['JSON in UTF-16', Buffer.from(valid, 'utf16le'), 'application/json; charset=utf-16le'],
      ['JSON in UTF-7', valid, 'application/json; charset=utf-7'],
      ['a JSON array', '[]', 'application/json'],
      ['a JSON string', '"919812345678"', 'application/json'],
      ['JSON null', 'null', 'application/json'],
      [
        'JSON that is nested too deeply',
        `{"phone":${'['.repeat(3_000)}${']'.repeat(3_000)}}`,
        'application/json',
      ],
      [
        'JSON with too many keys',
        JSON.stringify(Object.fromEntries(Array.from({ length: 3_000 }, (_, i) => [`k${i}`, 1]))),
        'application/json',
      ],
      ['a body that is too large', JSON.stringify({ phone: '9'.repeat(200_000) }), 'application/json'],
    ])('returns 400 without error items for %s', async (_name, body, type) => {
      expectBareRefusal(await service.api.raw('post', PATH, body, type), 'Bad request');
    });

    it('refuses a compressed body without unpacking it', async () => {
      const response = await service.api.raw('post', PATH, valid, 'application/json', {
        headers: { 'content-encoding': 'gzip' },
      });
      expectBareRefusal(response, 'Bad request');
    });

    it.each([
      ['of truncated JSON', '{"phone": "9198'],
      ['that is not JSON', 'phone=919812345678'],
      ['of JSON with single quotes', "{'phone': '919812345678'}"],
      ['of JSON with a trailing comma', '{"phone": "919812345678",}'],
      ['of broken UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d])],
      ['of JSON with a control character', '{"phone": "\u0001"}'],
    ])('returns 400 with the object form of the error for a body %s', async (_name, body) => {
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

    it('does not echo a body that cannot be parsed', async () => {
      for (const body of ['ABCDE1234F', '{"pan": ABCDE1234F}', '{"pan":"ABCDE1234F"', '{"a":1} ABCDE1234F']) {
        const response = await service.api.raw('post', PATH, body, 'application/json');
        expect(response.text).not.toContain('ABCDE');
      }
    });

    it('counts unusable bodies against the rate limit', async () => {
      // its own counts: the minute of the other tests could end between these calls
      const { api } = await service.replica({ REDIS_KEY_PREFIX: 'register-bodies:' });
      const remaining = async () => Number((await api.post(PATH, {})).headers['x-ratelimit-remaining']);
      const before = await remaining();
      await api.raw('post', PATH, '{', 'application/json');
      expect(await remaining()).toBeLessThanOrEqual(before - 2);
    });
  });

  it('accepts exactly five of twelve parallel sends to one phone on two replicas, and counts each once', async () => {
    const other = await service.replica();
    const phone = aPhone();
    const responses = await inParallel(12, (i) => (i % 2 ? other : service).api.post(PATH, { phone }));
    const accepted = responses.filter(({ status }) => status === 201);
    expect(accepted.map((response) => payloadOf(response).attemptsUsed).sort()).toEqual([0, 1, 2, 3, 4]);
    const refused = responses.filter(({ status }) => status !== 201);
    expect(refused).toHaveLength(7);
    for (const response of refused) expectRefusal(response, LoginErrors.tooManySends);
    expect(await inboxOf(phone)).toHaveLength(5);
  });
});
