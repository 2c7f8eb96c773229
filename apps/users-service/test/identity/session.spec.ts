import { createHmac, createPrivateKey, type JsonWebKey } from 'node:crypto';
import type { TokenPayload, UserSessionsPayload } from '@fd/contracts';
import { type ErrorDefinition, GeneralErrors, SessionErrors } from '@fd/errors';
import { expectRefusal, inParallel } from '@fd/testing';
import { decodeJwt, decodeProtectedHeader, type JWTPayload, SignJWT } from 'jose';
import { SessionsRepository } from '../../src/identity/sessions/sessions.repository.js';
import { as, logIn, type LoggedIn } from '../support/login.js';
import { jwksText } from '../support/settings.js';
import { startService, type TestService } from '../support/users-app.js';

const PROFILE = '/api/v1/user-profile';
const REFRESH = '/auth/api/v2/token/refresh';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const refresh = (refresh_token: unknown) => service.api.post(REFRESH, { refresh_token });
const tokensOf = (response: { body: unknown }) => (response.body as { payload: TokenPayload }).payload;
const isAlive = async (access_token: string) =>
  (await as(service.api, { access_token }).get(PROFILE)).status === 200;
/** Makes all rotations of refresh tokens older by this many seconds. */
const ageRotations = (seconds: number) =>
  service.dataSource.query(
    'UPDATE onboarding.refresh_tokens SET rotated_at = rotated_at - make_interval(secs => $1)',
    [seconds],
  );

const sessionsOf = async (user: LoggedIn) =>
  ((await as(service.api, user).get('/api/v1/user-sessions')).body as { payload: UserSessionsPayload })
    .payload.sessions;

describe('POST /auth/api/v2/register/verify', () => {
  it('issues access tokens as ES256 JWTs of 15 minutes without personal data', async () => {
    const user = await logIn(service);
    expect(decodeProtectedHeader(user.access_token)).toEqual({
      alg: 'ES256',
      typ: 'at+jwt',
      kid: 'test-key',
    });
    const claims = decodeJwt(user.access_token);
    expect(Object.keys(claims).sort()).toEqual(['aud', 'exp', 'iat', 'iss', 'jti', 'nbf', 'sid', 'sub']);
    expect(claims.sub).toBe(user.user_id);
    expect(claims.exp! - claims.iat!).toBe(900);
  });
});

describe('GET /.well-known/jwks.json', () => {
  it('publishes the public key of access tokens', async () => {
    const { body } = await service.api.get('/.well-known/jwks.json');
    expect(body).toEqual({
      keys: [
        {
          kty: 'EC',
          crv: 'P-256',
          x: expect.any(String) as string,
          y: expect.any(String) as string,
          kid: 'test-key',
          alg: 'ES256',
          use: 'sig',
        },
      ],
    });
  });
});

describe('GET /api/v1/user-profile', () => {
  it('returns every field of the profile to a new user with an access token', async () => {
    const user = await logIn(service);
    const response = await as(service.api, user).get(PROFILE);
    expect(response.status).toBe(200);
    expect(response.body).toMatchObject({
      success: 1,
      statusCode: 200,
      payload: {
        user_id: user.user_id,
        phone: user.user.phone,
        email: null,
        pan: null,
        dob: null,
        bank: null,
        nominees_count: 0,
      },
    });
  });
});

describe('authentication by access token', () => {
  let user: LoggedIn;
  let claims: JWTPayload;
  beforeAll(async () => {
    user = await logIn(service);
    claims = decodeJwt(user.access_token);
  });

  const ownKey = () => {
    const { keys } = JSON.parse(service.environment['JWT_KEYS']!) as { keys: JsonWebKey[] };
    return createPrivateKey({ key: keys[0]!, format: 'jwk' });
  };
  const base64url = (value: unknown) =>
    Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
  const sign = (header: object, payload: JWTPayload = claims) =>
    new SignJWT(payload)
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'test-key', ...header })
      .sign(ownKey());
  const foreign = async () => {
    const { keys } = JSON.parse(jwksText('test-key')) as { keys: JsonWebKey[] };
    return new SignJWT(claims)
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'test-key' })
      .sign(createPrivateKey({ key: keys[0]!, format: 'jwk' }));
  };
  const hmac = () => {
    const publicKey = JSON.stringify(
      (JSON.parse(service.environment['JWT_KEYS']!) as { keys: unknown[] }).keys[0],
    );
    const head = `${base64url({ alg: 'HS256', typ: 'at+jwt', kid: 'test-key' })}.${base64url(claims)}`;
    return `${head}.${createHmac('sha256', publicKey).update(head).digest('base64url')}`;
  };
  const seconds = () => Math.floor(Date.now() / 1_000);

  it('accepts an access token that the test signs with the key of the service', async () => {
    expect(await isAlive(await sign({}))).toBe(true);
  });

  it.each<[string, ErrorDefinition, () => Promise<string> | string]>([
    ['plain text as a token', SessionErrors.tokenMalformed, () => 'abc'],
    ['a token of two parts', SessionErrors.tokenMalformed, () => 'a.b'],
    ['a token without JSON', SessionErrors.tokenMalformed, () => 'a.b.c'],
    ['a refresh token as an access token', SessionErrors.tokenMalformed, () => user.refresh_token],
    ['a partner token as an access token', SessionErrors.tokenMalformed, () => user.partner_token],
    [
      'a token of more than 4 KB',
      SessionErrors.tokenMalformed,
      () => `${user.access_token}${'a'.repeat(5_000)}`,
    ],
    [
      'a token with alg none',
      SessionErrors.tokenInvalid,
      () => `${base64url({ alg: 'none', typ: 'at+jwt', kid: 'test-key' })}.${base64url(claims)}.`,
    ],
    [
      'a token with alg none and a valid signature',
      SessionErrors.tokenInvalid,
      () =>
        `${base64url({ alg: 'none', typ: 'at+jwt', kid: 'test-key' })}.${base64url(claims)}.${user.access_token.split('.')[2]}`,
    ],
    ['a token signed by HMAC with the public key', SessionErrors.tokenInvalid, hmac],
    ['a token signed with another key', SessionErrors.tokenInvalid, foreign],
    [
      'a token with changed claims',
      SessionErrors.tokenInvalid,
      () => {
        const [head, , signature] = user.access_token.split('.');
        return `${head}.${base64url({ ...claims, sub: '00000000-0000-7000-8000-000000000000' })}.${signature}`;
      },
    ],
    [
      'a token with a changed signature',
      SessionErrors.tokenInvalid,
      () => `${user.access_token.slice(0, -6)}AAAAAA`,
    ],
    ['a token with an unknown kid', SessionErrors.tokenInvalid, () => sign({ kid: 'other' })],
    ['a token without a kid', SessionErrors.tokenInvalid, () => sign({ kid: undefined })],
    ['a token of another type', SessionErrors.tokenInvalid, () => sign({ typ: 'JWT' })],
    ['a token with a key in its header', SessionErrors.tokenInvalid, () => sign({ jwk: { kty: 'EC' } })],
    [
      'a token with the URL of a key in its header',
      SessionErrors.tokenInvalid,
      () => sign({ jku: 'https://attacker.example/jwks' }),
    ],
    ['a token for another audience', SessionErrors.tokenInvalid, () => sign({}, { ...claims, aud: 'other' })],
    [
      'a token of another issuer',
      SessionErrors.tokenInvalid,
      () => sign({}, { ...claims, iss: 'https://other.example' }),
    ],
    [
      'a token that is not valid yet',
      SessionErrors.tokenInvalid,
      () => sign({}, { ...claims, nbf: seconds() + 120 }),
    ],
    [
      'a token whose subject is not a user id',
      SessionErrors.tokenInvalid,
      () => sign({}, { ...claims, sub: "' OR 1=1" }),
    ],
    [
      'a token that expired longer ago than the clock tolerance',
      SessionErrors.tokenExpired,
      () => sign({}, { ...claims, exp: seconds() - 31 }),
    ],
  ])('refuses %s', async (_name, error, make) => {
    const response = await service.api.with({ bearer: await make() }).get(PROFILE);
    expectRefusal(response, error);
    expect(response.headers['www-authenticate']).toBe('Bearer');
  });

  it.each([
    ['that is missing', undefined, SessionErrors.tokenMissing],
    ['of the Basic scheme', 'Basic dXNlcjpwYXNz', SessionErrors.tokenMalformed],
    ['of Bearer without a token', 'Bearer', SessionErrors.tokenMalformed],
    ['of Bearer and spaces', 'Bearer   ', SessionErrors.tokenMalformed],
    ['of Bearer and two words', 'Bearer a.b.c d', SessionErrors.tokenMalformed],
    ['of a token without a scheme', 'eyJhbGciOiJub25lIn0.e30.', SessionErrors.tokenMalformed],
  ] as const)('refuses an Authorization header %s', async (_name, authorization, error) => {
    const response = await service.api.get(PROFILE, {
      headers: authorization === undefined ? {} : { authorization },
    });
    expectRefusal(response, error);
    expect(response.headers['www-authenticate']).toBe('Bearer');
  });

  it('refuses a token with the session of another user', async () => {
    const other = await logIn(service);
    const mixed = await sign({}, { ...claims, sid: decodeJwt(other.access_token)['sid'] });
    expectRefusal(await service.api.with({ bearer: mixed }).get(PROFILE), SessionErrors.ended);
  });

  it('counts calls with a refused token by IP address and calls with a valid one by user', async () => {
    const remaining = async (bearer: string) =>
      Number((await service.api.with({ bearer }).get(PROFILE)).headers['x-ratelimit-remaining']);
    const mine = await remaining(user.access_token);
    await remaining('abc');
    expect(await remaining(user.access_token)).toBe(mine - 1);
  });
});

describe('rotation of signing keys', () => {
  it('accepts access tokens of the older key and signs with the newer one', async () => {
    const { keys } = JSON.parse(service.environment['JWT_KEYS']!) as { keys: unknown[] };
    const fresh = (JSON.parse(jwksText('next-key')) as { keys: unknown[] }).keys;
    const old = await logIn(service);
    const next = await service.replica({ JWT_KEYS: JSON.stringify({ keys: [...fresh, ...keys] }) });
    expect((await as(next.api, old).get(PROFILE)).status).toBe(200);
    const renewed = await logIn(next);
    expect(decodeProtectedHeader(renewed.access_token).kid).toBe('next-key');
    const { body } = await next.api.get('/.well-known/jwks.json');
    expect((body as { keys: { kid: string }[] }).keys.map(({ kid }) => kid)).toEqual([
      'next-key',
      'test-key',
    ]);
  });
});

describe('POST /auth/api/v2/token/refresh', () => {
  it('exchanges the refresh token for new tokens of the same session', async () => {
    const user = await logIn(service);
    const response = await refresh(user.refresh_token);
    expect(response.status).toBe(200);
    const next = tokensOf(response);
    expect(next.refresh_token).not.toBe(user.refresh_token);
    expect(decodeJwt(next.access_token)).toMatchObject({
      sub: user.user_id,
      sid: decodeJwt(user.access_token)['sid'] as string,
    });
    expect(next.refresh_expires_in).toBeLessThanOrEqual(user.refresh_expires_in);
    expect(await isAlive(next.access_token)).toBe(true);
  });

  it('returns the same successor to a repeated refresh within 30 seconds, since the first response may be lost', async () => {
    const user = await logIn(service);
    const first = tokensOf(await refresh(user.refresh_token));
    await ageRotations(29);
    expect(tokensOf(await refresh(user.refresh_token)).refresh_token).toBe(first.refresh_token);
    expect((await refresh(first.refresh_token)).status).toBe(200);
  });

  it('refuses the refresh token of a session that has expired', async () => {
    const user = await logIn(service);
    await service.dataSource.query('UPDATE onboarding.sessions SET expires_at = now() WHERE user_id = $1', [
      user.user_id,
    ]);
    expectRefusal(await refresh(user.refresh_token), SessionErrors.refreshTokenInvalid);
    expect(await isAlive(user.access_token)).toBe(false);
  });

  it('ends the session when a refresh token is used again after 30 seconds', async () => {
    const user = await logIn(service);
    const next = tokensOf(await refresh(user.refresh_token));
    await ageRotations(31);
    expectRefusal(await refresh(user.refresh_token), SessionErrors.refreshTokenReused);
    expectRefusal(await refresh(next.refresh_token), SessionErrors.refreshTokenInvalid);
    expectRefusal(await service.api.with({ bearer: next.access_token }).get(PROFILE), SessionErrors.ended);
  });

  it.each([
    ['missing', undefined],
    ['empty', ''],
    ['a number', 1],
    ['unknown', 'a'.repeat(43)],
    ['very long', 'a'.repeat(10_000)],
    ['an access token', 'eyJ.a.b'],
  ])('refuses a refresh token that is %s', async (_name, token) => {
    expectRefusal(await refresh(token), SessionErrors.refreshTokenInvalid);
  });

  it('gives the same successor to 50 parallel refreshes and keeps the session open', async () => {
    const other = await service.replica();
    const user = await logIn(service);
    const responses = await inParallel(50, (i) =>
      (i % 2 ? other : service).api.post(REFRESH, { refresh_token: user.refresh_token }),
    );
    expect(responses.map(({ status }) => status)).toEqual(Array(50).fill(200));
    expect(new Set(responses.map((response) => tokensOf(response).refresh_token)).size).toBe(1);
    const next = tokensOf(responses[0]!);
    expect(await isAlive(next.access_token)).toBe(true);
    const [{ count }] = await service.dataSource.query<[{ count: string }]>(
      `SELECT count(*) FROM onboarding.refresh_tokens t JOIN onboarding.sessions s ON s.id = t.session_id
          WHERE s.user_id = $1 AND t.rotated_at IS NULL`,
      [user.user_id],
    );
    expect(count).toBe('1');
    expect((await refresh(next.refresh_token)).status).toBe(200);
  });
});

describe('POST /auth/api/v2/logout', () => {
  it('ends the current session on every replica at once, and no other session', async () => {
    const other = await service.replica();
    const phone = (await logIn(service)).phone;
    const laptop = await logIn(service, phone);
    const mobile = await logIn(service, phone);
    const response = await as(service.api, laptop).post('/auth/api/v2/logout', {});
    expect(response.body).toMatchObject({
      success: 1,
      message: 'Logged out',
      payload: { sessions_ended: 1 },
    });
    expectRefusal(await as(other.api, laptop).get(PROFILE), SessionErrors.ended);
    expectRefusal(await refresh(laptop.refresh_token), SessionErrors.refreshTokenInvalid);
    expect(await isAlive(mobile.access_token)).toBe(true);
  });

  it('ends all sessions of the user with all_devices', async () => {
    const first = await logIn(service);
    const second = await logIn(service, first.phone);
    const stranger = await logIn(service);
    const response = await as(service.api, first).post('/auth/api/v2/logout', { all_devices: true });
    expect(response.body).toMatchObject({ payload: { sessions_ended: 2 } });
    expect(await isAlive(second.access_token)).toBe(false);
    expect(await isAlive(stranger.access_token)).toBe(true);
  });

  it('logs out without a request body', async () => {
    const { access_token: token } = await logIn(service);
    const { status } = await service.api
      .with({ bearer: token })
      .raw('post', '/auth/api/v2/logout', '', 'application/json');
    expect([status, await isAlive(token)]).toEqual([200, false]);
  });

  it('returns 401 to a logout without a token before it parses the body', async () => {
    expectRefusal(
      await service.api.raw('post', '/auth/api/v2/logout', '{', 'application/json'),
      SessionErrors.tokenMissing,
    );
  });

  it('rejects a value of all_devices that is not a boolean', async () => {
    expectRefusal(
      await as(service.api, await logIn(service)).post('/auth/api/v2/logout', { all_devices: 'yes' }),
      GeneralErrors.fieldInvalid,
    );
  });
});

describe('GET /api/v1/user-sessions', () => {
  it('lists the open sessions of the user and marks the current one', async () => {
    const first = await logIn(service);
    const second = await logIn(service, first.phone);
    const sessions = await sessionsOf(second);
    expect(sessions).toHaveLength(2);
    expect(sessions.filter(({ is_current }) => is_current).map(({ session_id }) => session_id)).toEqual([
      decodeJwt(second.access_token)['sid'],
    ]);
    expect(sessions[0]).toMatchObject({ partner_url: 'https://app.partner.example' });
  });
});

describe('DELETE /api/v1/user-sessions/{session_id}', () => {
  it('ends one session of the user, and returns 404 for it afterwards', async () => {
    const lost = await logIn(service);
    const kept = await logIn(service, lost.phone);
    const id = decodeJwt(lost.access_token)['sid'] as string;
    expect((await as(service.api, kept).delete(`/api/v1/user-sessions/${id}`)).status).toBe(200);
    expect(await isAlive(lost.access_token)).toBe(false);
    expect(await sessionsOf(kept)).toHaveLength(1);
    expectRefusal(
      await as(service.api, kept).delete(`/api/v1/user-sessions/${id}`),
      GeneralErrors.recordUnknown,
    );
  });

  it('returns 404 for a session of another user, an unknown session and a malformed id', async () => {
    const me = await logIn(service);
    const stranger = await logIn(service);
    const theirs = decodeJwt(stranger.access_token)['sid'] as string;
    for (const id of [theirs, '0198c0de-0000-7000-8000-000000000000', 'nothing', "1' OR '1'='1"]) {
      expectRefusal(
        await as(service.api, me).delete(`/api/v1/user-sessions/${encodeURIComponent(id)}`),
        GeneralErrors.recordUnknown,
      );
    }
    expect(await isAlive(stranger.access_token)).toBe(true);
  });
});

describe('clean-up of sessions', () => {
  it('deletes sessions that ended 31 days ago with their tokens, and keeps recent and open ones', async () => {
    const [old, recent, open] = [await logIn(service), await logIn(service), await logIn(service)];
    for (const user of [old, recent]) await as(service.api, user).post('/auth/api/v2/logout', {});
    await service.dataSource.query(
      "UPDATE onboarding.sessions SET ended_at = now() - interval '31 days' WHERE user_id = $1",
      [old.user_id],
    );
    expect(await service.app.get(SessionsRepository).purgeEnded()).toBe(1);
    const rows = await service.dataSource.query<{ user_id: string; tokens: string }[]>(
      `SELECT s.user_id, count(t.*) AS tokens FROM onboarding.sessions s
         JOIN onboarding.refresh_tokens t ON t.session_id = s.id WHERE s.user_id = ANY($1) GROUP BY 1`,
      [[old, recent, open].map(({ user_id }) => user_id)],
    );
    expect(rows.map(({ user_id }) => user_id).sort()).toEqual([recent.user_id, open.user_id].sort());
    expect(await isAlive(open.access_token)).toBe(true);
  });
});
