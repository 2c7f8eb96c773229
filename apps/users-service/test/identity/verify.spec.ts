import { randomUUID } from 'node:crypto';
import type { LoginPayload } from '@fd/contracts';
import { GeneralErrors, LoginErrors, OtpErrors } from '@fd/errors';
import { expectRefusal, expectBareRefusal, inParallel } from '@fd/testing';
import type { JSONWebKeySet } from 'jose';
import { aPhone, aPhoneEnding, codeOf, wrongCode } from '../support/inbox.js';
import { as, logIn, verifyBody } from '../support/login.js';
import { LoginService } from '../../src/identity/login/login.service.js';
import type { RightCode } from '../../src/identity/otp/otp.service.js';
import { PartnersRepository } from '../../src/identity/partners/partners.repository.js';
import { SessionsService } from '../../src/identity/sessions/sessions.service.js';
import { aPartner, ecKeys, openPartnerToken, rsaKeys } from '../support/partner.js';
import { startService, type TestService, type UsersApp } from '../support/users-app.js';

const PATH = '/auth/api/v2/register/verify';

describe('POST /auth/api/v2/register/verify', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());

  /** Returns a phone to which a code was sent, with the code. */
  const aSentCode = async (phone = aPhone(), on: UsersApp = service) => {
    expect((await on.api.post('/auth/register', { phone })).status).toBe(201);
    return { phone, code: await codeOf(phone) };
  };
  const verify = (phone: string, otp: string, on: UsersApp = service) =>
    on.api.post(PATH, verifyBody(phone, otp));

  describe('success', () => {
    it('returns tokens, and marks the user as new only at the first login', async () => {
      const { phone, code } = await aSentCode();
      const response = await verify(phone, code);
      expect(response.status).toBe(200);
      expect(response.body).toMatchObject({ success: 1, statusCode: 200, message: 'Login successful' });
      const first = (response.body as { payload: LoginPayload }).payload;
      expect(first).toMatchObject({
        is_new_user: true,
        token_type: 'Bearer',
        expires_in: 900,
        refresh_expires_in: 604_800,
        user: { phone: `91XXXXXX${phone.slice(-4)}`, is_pan_verified: false, is_email_verified: false },
      });
      expect(first.user_id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-/);
      const second = await logIn(service, phone);
      expect(second).toMatchObject({ user_id: first.user_id, is_new_user: false });
      expect(second.refresh_token).not.toBe(first.refresh_token);
    });

    it.each([
      ['RSA', rsaKeys],
      ['EC', ecKeys],
    ])(
      'returns a partner token that only the %s key of the partner decrypts and the published keys verify',
      async (kind, makeKeys) => {
        const url = `https://${kind.toLowerCase()}.partner.example`;
        const partner = await aPartner(service.dataSource, { url, keys: makeKeys() });
        const { phone, code } = await aSentCode();
        const response = await service.api.post(PATH, verifyBody(phone, code, `${url}/`));
        const { partner_token, user_id } = (response.body as { payload: LoginPayload }).payload;
        const jwks = (await service.api.get('/.well-known/jwks.json')).body as JSONWebKeySet;
        const claims = await openPartnerToken(partner_token, partner, jwks);
        expect(claims).toMatchObject({
          sub: user_id,
          aud: url,
          is_new_user: true,
          iss: 'http://localhost:3001',
        });
        expect(JSON.stringify(claims)).not.toContain(phone);
      },
    );

    it('resets the counts of sends and tries with a login', async () => {
      const { phone, code } = await aSentCode();
      await verify(phone, wrongCode(code));
      await verify(phone, code);
      const response = await service.api.post('/auth/register', { phone });
      expect(response.body).toMatchObject({ payload: { attemptsUsed: 0, attemptsLeft: 4 } });
      const again = await verify(phone, wrongCode(await codeOf(phone)));
      expect(JSON.stringify(again.body)).toContain('Tries left: 4');
    });

    it('logs in the sandbox phones with the code 123456', async () => {
      for (const phone of ['919999900000', '919999900099']) {
        await aSentCode(phone);
        expect((await verify(phone, '123456')).status).toBe(200);
      }
    });
  });

  describe('code', () => {
    it('counts down the tries left with each wrong code, then refuses even the right one', async () => {
      const { phone, code } = await aSentCode();
      for (const left of [4, 3, 2, 1, 0]) {
        const response = await verify(phone, wrongCode(code));
        expectRefusal(response, LoginErrors.otpWrong);
        expect(JSON.stringify(response.body)).toContain(
          left > 0 ? `Tries left: ${left}."` : 'Tries left: 0. Ask for a new code."',
        );
      }
      const dead = await verify(phone, code);
      expectRefusal(dead, LoginErrors.tooManyTries);
      expect(Number(dead.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    });

    it('restores no tries with a resend', async () => {
      const { phone, code } = await aSentCode();
      for (let i = 0; i < 4; i++) await verify(phone, wrongCode(code));
      await service.api.post('/auth/register', { phone });
      await verify(phone, wrongCode(code));
      expectRefusal(await verify(phone, code), LoginErrors.tooManyTries);
    });

    it('logs in with a new code after the tries of the first are used up', async () => {
      const { phone, code } = await aSentCode();
      for (let i = 0; i < 5; i++) await verify(phone, wrongCode(code));
      const next = await aSentCode(phone);
      expect((await verify(phone, next.code)).status).toBe(200);
    });

    it('gives one answer for a code that was never requested, used, or expired', async () => {
      const never = await verify(aPhone(), '123456');
      const { phone, code } = await aSentCode();
      await verify(phone, code);
      const used = await verify(phone, code);
      const local = await service.replica();
      const late = await aSentCode(aPhone(), local);
      local.clock.advanceSeconds(601);
      const expired = await verify(late.phone, late.code, local);
      const dead = await verify((await aSentCode(aPhoneEnding('0408'))).phone, '123456');
      for (const response of [never, used, expired, dead]) {
        expectRefusal(response, LoginErrors.otpExpired);
        expect(response.body).toEqual(never.body);
      }
    });

    it('accepts a code just before it expires, and not after', async () => {
      const local = await service.replica();
      const early = await aSentCode(aPhone(), local);
      const late = await aSentCode(aPhone(), local);
      local.clock.advanceSeconds(560);
      expect((await verify(early.phone, early.code, local)).status).toBe(200);
      local.clock.advanceSeconds(41);
      expectRefusal(await verify(late.phone, late.code, local), LoginErrors.otpExpired);
    });

    it('refuses the code of another phone', async () => {
      const mine = await aSentCode();
      const theirs = await aSentCode();
      if (mine.code === theirs.code) return expect(mine.phone).not.toBe(theirs.phone);
      expectRefusal(await verify(theirs.phone, mine.code), LoginErrors.otpWrong);
    });
  });

  describe('guesses at one code after another', () => {
    /** Makes five wrong guesses at a new code. */
    const burnOneCode = async (phone: string, on: UsersApp) => {
      const { code } = await aSentCode(phone, on);
      for (let i = 0; i < 5; i++) await verify(phone, wrongCode(code), on);
    };

    it('pauses checks and sends of a phone for 30 minutes after 15 wrong codes within an hour', async () => {
      const local = await service.replica();
      const phone = aPhone();
      for (let i = 0; i < 3; i++) await burnOneCode(phone, local);
      const paused = await verify(phone, '123456', local);
      expectRefusal(paused, LoginErrors.tooManyTries);
      expect(Number(paused.headers['retry-after'])).toBeGreaterThan(1_700);
      expectRefusal(await local.api.post('/auth/register', { phone }), LoginErrors.tooManyTries);
      local.clock.advanceSeconds(1_801);
      const { code } = await aSentCode(phone, local);
      expect((await verify(phone, code, local)).status).toBe(200);
    });

    it('stops checks of a phone for the day after 50 wrong codes, however they are spread', async () => {
      const local = await service.replica();
      const phone = aPhone();
      for (let i = 0; i < 10; i++) {
        await burnOneCode(phone, local);
        local.clock.advanceSeconds(3_700);
      }
      const stopped = await verify(phone, '123456', local);
      expectRefusal(stopped, LoginErrors.tooManyTries);
      expect(Number(stopped.headers['retry-after'])).toBeGreaterThan(10 * 3_600);
    });
  });

  describe('invalid input', () => {
    const good = verifyBody('919812345678', '123456');
    const without = (field: keyof typeof good) =>
      Object.fromEntries(Object.entries(good).filter(([name]) => name !== field));

    it('returns 400 without error items for a missing phone', async () => {
      expectBareRefusal(await service.api.post(PATH, without('phone')), 'Bad Request');
      expectBareRefusal(await service.api.post(PATH, {}), 'Bad Request');
    });

    it.each([
      ['a phone without the country prefix', { ...good, phone: '9812345678' }, [LoginErrors.phoneInvalid]],
      [
        'a phone that is too short',
        { ...good, phone: '91981234' },
        [LoginErrors.phoneInvalid, LoginErrors.phoneMalformed],
      ],
      [
        'a malformed phone before a malformed OTP',
        { ...good, phone: 'x', otp: 'x' },
        [LoginErrors.phoneInvalid, LoginErrors.phoneMalformed, OtpErrors.wrongLength],
      ],
      ['a missing OTP', without('otp'), [OtpErrors.missing]],
      ['an empty OTP', { ...good, otp: '' }, [OtpErrors.missing]],
      ['an OTP of null', { ...good, otp: null }, [OtpErrors.missing]],
      ['an OTP of 5 digits', { ...good, otp: '12345' }, [OtpErrors.wrongLength]],
      ['an OTP of 7 digits', { ...good, otp: '1234567' }, [OtpErrors.wrongLength]],
      ['an OTP that is a number', { ...good, otp: 123456 }, [OtpErrors.wrongLength]],
      ['an OTP with letters', { ...good, otp: '12a456' }, [OtpErrors.notNumeric]],
      ['an OTP of Unicode digits', { ...good, otp: '１２３４５６' }, [OtpErrors.notNumeric]],
      ['an OTP with a newline', { ...good, otp: '12345\n' }, [OtpErrors.notNumeric]],
      [
        'a malformed OTP before a malformed partner_url',
        { ...good, otp: '1', partner_url: 1 },
        [OtpErrors.wrongLength, LoginErrors.partnerUrlInvalid],
      ],
      ['a missing partner_url', without('partner_url'), [LoginErrors.partnerUrlInvalid]],
      [
        'a partner_url that is not a URL',
        { ...good, partner_url: 'partner' },
        [LoginErrors.partnerUrlInvalid],
      ],
      [
        'a partner_url of another scheme',
        { ...good, partner_url: 'javascript:alert(1)' },
        [LoginErrors.partnerUrlInvalid],
      ],
      [
        'a partner_url with credentials',
        { ...good, partner_url: 'https://a:b@app.partner.example' },
        [LoginErrors.partnerUrlInvalid],
      ],
      [
        'a partner_url with a leading space',
        { ...good, partner_url: ' https://app.partner.example' },
        [LoginErrors.partnerUrlInvalid],
      ],
      [
        'a partner_url with a NUL',
        { ...good, partner_url: 'https://app.partner.example\u0000' },
        [LoginErrors.partnerUrlInvalid],
      ],
      [
        'an unknown partner',
        { ...good, partner_url: 'https://nobody.example' },
        [LoginErrors.partnerUnknown],
      ],
      [
        'another path of a known partner',
        { ...good, partner_url: 'https://app.partner.example/x' },
        [LoginErrors.partnerUnknown],
      ],
      [
        'an unknown partner before a refused consent',
        { ...good, partner_url: 'https://nobody.example', consent: false },
        [LoginErrors.partnerUnknown, LoginErrors.consentRequired],
      ],
      ['a consent of false', { ...good, consent: false }, [LoginErrors.consentRequired]],
      ['a missing consent', without('consent'), [LoginErrors.consentRequired]],
      ['a consent that is text', { ...good, consent: 'true' }, [LoginErrors.consentRequired]],
      [
        'a missing consent before the code is compared',
        { ...good, consent: null },
        [LoginErrors.consentRequired],
      ],
    ] as const)('rejects %s', async (_name, body, errors) => {
      const response = await service.api.post(PATH, body);
      expectRefusal(response, ...errors);
      expect((response.body as { message: string }).message).toBe('Bad Request');
    });

    it('does not count invalid input as a try', async () => {
      const { phone, code } = await aSentCode();
      for (let i = 0; i < 10; i++) {
        await service.api.post(PATH, { ...verifyBody(phone, wrongCode(code)), consent: false });
        await service.api.post(PATH, verifyBody(phone, '1'));
      }
      expect((await verify(phone, code)).status).toBe(200);
    });

    it('refuses a disabled partner like an unknown one', async () => {
      const url = 'https://former.partner.example';
      await aPartner(service.dataSource, { url, disabled: true });
      expectRefusal(
        await service.api.post(PATH, verifyBody('919812345678', '123456', url)),
        LoginErrors.partnerUnknown,
      );
    });

    it.each([
      ['a body without a media type', '{}', undefined],
      ['plain text', '{}', 'text/plain'],
      ['an empty body', '', 'application/json'],
    ])('returns 400 without error items for %s', async (_name, body, type) => {
      expectBareRefusal(await service.api.raw('post', PATH, body, type), 'Bad Request');
    });

    it('returns 400 with the object form of the error for malformed JSON', async () => {
      const response = await service.api.raw('post', PATH, '{"phone":', 'application/json');
      expect(response.body).toMatchObject({
        message: 'Bad Request',
        error: { statusCode: 400, error: 'Bad Request' },
      });
    });
  });

  describe('storage', () => {
    it('records the consent with the login', async () => {
      const { user_id } = await logIn(service);
      const rows: unknown[] = await service.dataSource.query(
        'SELECT purpose, notice_version, octet_length(ip_hash) AS ip FROM onboarding.consents WHERE user_id = $1',
        [user_id],
      );
      expect(rows).toEqual([{ purpose: 'TERMS_OF_USE', notice_version: '2026-11', ip: 32 }]);
    });

    it('keeps the code valid when PostgreSQL refuses the login', async () => {
      const { phone, code } = await aSentCode();
      await service.dataSource.query('ALTER TABLE onboarding.sessions RENAME TO sessions_away');
      const refused = await verify(phone, code);
      await service.dataSource.query('ALTER TABLE onboarding.sessions_away RENAME TO sessions');
      expectRefusal(refused, GeneralErrors.internal);
      expect((await verify(phone, code)).status).toBe(200);
    });

    it('leaves no phone, code or token in Redis, PostgreSQL or the logs', async () => {
      const { phone, code } = await aSentCode();
      await verify(phone, wrongCode(code));
      const login = await verify(phone, code);
      const { access_token, refresh_token, partner_token } = (login.body as { payload: LoginPayload })
        .payload;
      await as(service.api, { access_token }).get('/api/v1/user-profile');
      const living = await aSentCode(phone);
      const traces = {
        redis: await dumpRedis(service),
        database: await dumpDatabase(service),
        logs: service.logs(),
      };
      for (const trace of Object.values(traces)) expect(trace.length).toBeGreaterThan(500);
      for (const secret of [phone, phone.slice(2), access_token, refresh_token, partner_token]) {
        for (const trace of Object.values(traces)) expect(trace.includes(secret)).toBe(false);
      }
      // longer numbers contain six given digits by chance: a code must match as a whole word
      for (const secret of [code, living.code, phone.slice(0, 7)]) {
        for (const trace of Object.values(traces))
          expect(trace).not.toMatch(new RegExp(`(?<![0-9A-Za-z.-])${secret}(?![0-9A-Za-z-])`));
      }
    });
  });

  describe('concurrency', () => {
    it('logs in once for 20 parallel calls with one code on two replicas', async () => {
      const other = await service.replica();
      const { phone, code } = await aSentCode();
      const responses = await inParallel(20, (i) => verify(phone, code, i % 2 ? other : service));
      const statuses = responses.map(({ status }) => status);
      expect(statuses.filter((status) => status === 200)).toHaveLength(1);
      for (const response of responses.filter(({ status }) => status !== 200))
        expectRefusal(response, LoginErrors.otpExpired);
    });

    it('compares five of thirty parallel wrong codes and then refuses the right one', async () => {
      const other = await service.replica();
      const { phone, code } = await aSentCode();
      const responses = await inParallel(30, (i) => verify(phone, wrongCode(code), i % 2 ? other : service));
      const compared = responses.filter(({ status }) => status === 400);
      expect(compared).toHaveLength(5);
      for (const response of compared) expectRefusal(response, LoginErrors.otpWrong);
      for (const response of responses.filter(({ status }) => status !== 400))
        expectRefusal(response, LoginErrors.tooManyTries);
      expectRefusal(await verify(phone, code), LoginErrors.tooManyTries);
    });

    it('accepts a right code among four parallel wrong ones', async () => {
      const { phone, code } = await aSentCode();
      const guesses = [wrongCode(code), wrongCode(code), code, wrongCode(code), wrongCode(code)];
      const responses = await Promise.all(guesses.map((guess) => verify(phone, guess)));
      expect(responses[2]?.status).toBe(200);
    });

    it('creates one user and one session for eight parallel first logins of one phone', async () => {
      const [partners, sessions] = [service.app.get(PartnersRepository), service.app.get(SessionsService)];
      const login = service.app.get(LoginService);
      const phone = aPhone();
      const { partnerId } = (await partners.findLogin(service.partner.url, phone))!;
      const code = { consume: () => Promise.resolve() } as unknown as RightCode;
      const opened = await inParallel(8, async () => {
        const session = sessions.prepare({
          ...{ userId: randomUUID(), partnerId, device: null, isUnconfirmed: false },
        });
        return (await login.writeSession(session, {
          code,
          ip: '127.0.0.1',
          newPhone: phone,
          isFirstOfDay: false,
        }))
          ? session
          : undefined;
      });
      const [session, ...others] = opened.filter((each) => each !== undefined);
      expect(others).toEqual([]);
      expect((await partners.findLogin(service.partner.url, phone))?.userId).toBe(session?.userId);
      const [written] = await service.database.query<[object]>(
        `SELECT (SELECT count(*)::int FROM onboarding.sessions WHERE user_id = $1) AS sessions,
                (SELECT count(*)::int FROM onboarding.consents WHERE user_id = $1) AS consents`,
        [session?.userId],
      );
      expect(written).toEqual({ sessions: 1, consents: 1 });
    });
  });
});

async function dumpRedis(service: TestService): Promise<string> {
  const { Redis } = await import('ioredis');
  const redis = new Redis(service.environment['REDIS_URL']!);
  const keys = await redis.keys(`${service.environment['REDIS_KEY_PREFIX']}*`);
  const values = await Promise.all(
    keys.map(async (key) => {
      const type = await redis.type(key);
      if (type === 'hash') return JSON.stringify(await redis.hgetall(key));
      return type === 'zset'
        ? (await redis.zrange(key, '0', '-1', 'WITHSCORES')).join()
        : ((await redis.get(key)) ?? '');
    }),
  );
  redis.disconnect();
  return keys.map((key, i) => `${key}=${values[i]}`).join('\n');
}

async function dumpDatabase(service: TestService): Promise<string> {
  const tables = await service.dataSource.query<{ name: string }[]>(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'onboarding'",
  );
  const rows = await Promise.all(
    tables.map(({ name }) => service.dataSource.query<unknown[]>(`SELECT t::text FROM onboarding.${name} t`)),
  );
  return JSON.stringify(rows);
}
