import {
  createHmac,
  createPrivateKey,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
  sign,
} from 'node:crypto';
import type { TokenPayload, UserSessionsPayload } from '@fd/contracts';
import { type ErrorDefinition, GeneralErrors, SessionErrors } from '@fd/errors';
import { eventually, expectRefusal, inParallel, recordEvidence, TcpProxy } from '@fd/testing';
import { decodeJwt, decodeProtectedHeader, type JWTPayload, SignJWT } from 'jose';
import { SessionsRepository } from '../../src/identity/sessions/sessions.repository.js';
import { trailOf } from '../support/audit.js';
import { lockWaiters } from '../support/lock-waiters.js';
import { as, type LoggedIn, logIn } from '../support/login.js';
import { jwksText } from '../support/settings.js';
import { startService, type TestService, type UsersApp } from '../support/users-app.js';

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
/** Ages all rotations of refresh tokens by this many seconds. */
const ageRotations = (seconds: number) =>
  service.dataSource.query(
    'UPDATE onboarding.refresh_tokens SET rotated_at = rotated_at - make_interval(secs => $1)',
    [seconds],
  );

const DAY_SECONDS = 86_400;
/** Ages the last use of a user's sessions. */
const ageSession = ({ user_id }: LoggedIn, by: string) =>
  service.dataSource.query(
    'UPDATE onboarding.sessions SET expires_at = expires_at - $2::interval WHERE user_id = $1',
    [user_id, by],
  );
/** Opens further sessions of a user, newer than the existing ones. */
const addSessions = ({ user_id }: LoggedIn, count: number) =>
  service.dataSource.query(
    `INSERT INTO onboarding.sessions (id, user_id, partner_id, expires_at)
     SELECT onboarding.uuid_v7(), user_id, partner_id, expires_at
       FROM (SELECT * FROM onboarding.sessions WHERE user_id = $1 LIMIT 1) s, generate_series(1, $2)`,
    [user_id, count],
  );

const sessionsOf = async (user: LoggedIn) =>
  ((await as(service.api, user).get('/api/v1/user-sessions')).body as { payload: UserSessionsPayload })
    .payload.sessions;

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
    expect(await isAlive(next.access_token)).toBe(true);
  });

  it('returns the same successor to a repeated refresh within 30 seconds, since the client may have lost the first response', async () => {
    const user = await logIn(service);
    const first = tokensOf(await refresh(user.refresh_token));
    await ageRotations(5);
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

  it('issues no token for a session that is being ended, even when the refresh began earlier', async () => {
    const user = await logIn(service);
    const ending = service.dataSource.createQueryRunner();
    try {
      await ending.startTransaction();
      await ending.query(
        "UPDATE onboarding.sessions SET ended_at = now(), end_reason = 'BLOCKED' WHERE user_id = $1",
        [user.user_id],
      );
      const refreshed = refresh(user.refresh_token).then((response) => response);
      await lockWaiters(service, 1);
      await ending.commitTransaction();
      expectRefusal(await refreshed, SessionErrors.refreshTokenInvalid);
    } finally {
      await ending.release();
    }
  });

  it('ends a session that is not refreshed for 7 days, and any session after 30', async () => {
    const user = await logIn(service);
    expect(user.refresh_expires_in).toBe(7 * DAY_SECONDS);
    await ageSession(user, '6 days');
    const next = tokensOf(await refresh(user.refresh_token));
    expect(next.refresh_expires_in).toBe(7 * DAY_SECONDS);
    await ageSession(user, '7 days');
    expectRefusal(await refresh(next.refresh_token), SessionErrors.refreshTokenInvalid);
    expectRefusal(await service.api.with({ bearer: next.access_token }).get(PROFILE), SessionErrors.ended);
    const other = await logIn(service);
    await service.dataSource.query(
      "UPDATE onboarding.sessions SET created_at = created_at - interval '29 days' WHERE user_id = $1",
      [other.user_id],
    );
    const last = tokensOf(await refresh(other.refresh_token));
    expect(last.refresh_expires_in).toBeGreaterThan(DAY_SECONDS - 60);
    expect(last.refresh_expires_in).toBeLessThanOrEqual(DAY_SECONDS);
  });

  it('ends sessions and tokens by the clock of the service', async () => {
    const { api, clock } = await service.replica();
    const user = await logIn({ api });
    const get = (token: string) => api.with({ bearer: token }).get(PROFILE);
    const renew = (refresh_token: string) => api.post(REFRESH, { refresh_token });
    clock.advanceSeconds(16 * 60);
    expectRefusal(await get(user.access_token), SessionErrors.tokenExpired);
    const renewed = await renew(user.refresh_token);
    const next = tokensOf(renewed);
    expect(next.refresh_expires_in).toBe(7 * DAY_SECONDS);
    expect((await get(next.access_token)).status).toBe(200);
    clock.advanceSeconds(5);
    expect((await renew(user.refresh_token)).status).toBe(200);
    const { body } = await api.with({ bearer: next.access_token }).get('/api/v1/user-sessions');
    const [{ last_used_at, expires_at }] = (body as { payload: UserSessionsPayload }).payload.sessions as [
      UserSessionsPayload['sessions'][number],
    ];
    // the clock is 16 minutes ahead
    expect(Math.abs(Date.parse(last_used_at) + 5_000 - clock.now().getTime())).toBeLessThan(60_000);
    expect(Date.parse(expires_at) - Date.parse(last_used_at)).toBe(7 * DAY_SECONDS * 1_000);
    clock.advanceSeconds(8 * DAY_SECONDS);
    expectRefusal(await renew(next.refresh_token), SessionErrors.refreshTokenInvalid);
    // a session of today, while the clock is ahead
    const later = await logIn({ api }, user.phone);
    expect((await get(later.access_token)).status).toBe(200);
    clock.advanceSeconds(6 * DAY_SECONDS);
    expect((await renew(later.refresh_token)).status).toBe(200);
    clock.advanceSeconds(31);
    expectRefusal(await renew(later.refresh_token), SessionErrors.refreshTokenReused);
  });

  it('refuses the 61st of many refreshes, keeps the token valid, and then allows 12 an hour', async () => {
    const user = await logIn(service);
    let token = user.refresh_token;
    for (let count = 0; count < 60; count++) {
      const response = await refresh(token);
      expect(response.status).toBe(200);
      token = tokensOf(response).refresh_token;
    }
    const refused = await refresh(token);
    expectRefusal(refused, GeneralErrors.tooManyRequests);
    const wait = Number((refused.headers as Record<string, string>)['retry-after']);
    expect(wait).toBeGreaterThan(200);
    expect(wait).toBeLessThanOrEqual(300);
    expect(await isAlive(user.access_token)).toBe(true);
    await service.dataSource.query(
      `UPDATE onboarding.sessions SET refreshes_booked_until = refreshes_booked_until - make_interval(secs => $2)
        WHERE user_id = $1`,
      [user.user_id, wait],
    );
    const next = await refresh(token);
    expect(next.status).toBe(200);
    expectRefusal(await refresh(tokensOf(next).refresh_token), GeneralErrors.tooManyRequests);
  });

  it('ends the session when a refresh token is reused after 30 seconds', async () => {
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
    const call = (i: number) =>
      (i % 2 ? other : service).api.post(REFRESH, { refresh_token: user.refresh_token });
    const responses = await inParallel(50, call);
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

describe('open sessions of a user', () => {
  it('ends the oldest of 20 open sessions at the next login, and records it in the audit trail', async () => {
    const oldest = await logIn(service);
    const second = await logIn(service, oldest.phone);
    await addSessions(second, 18);
    expect(await sessionsOf(second)).toHaveLength(20);
    expect(await isAlive(oldest.access_token)).toBe(true);
    const newest = await logIn(service, oldest.phone);
    expectRefusal(await as(service.api, oldest).get(PROFILE), SessionErrors.ended);
    expectRefusal(await refresh(oldest.refresh_token), SessionErrors.refreshTokenInvalid);
    expect(await isAlive(second.access_token)).toBe(true);
    expect(await sessionsOf(newest)).toHaveLength(20);
    const actions = (await trailOf(service, newest.user_id)).map(({ action }) => action);
    expect(actions.filter((action) => action === 'OLDEST_SESSION_ENDED')).toHaveLength(1);
  });

  it('cuts more than 20 open sessions to 20 at one login, and lists at most 100', async () => {
    const first = await logIn(service);
    await addSessions(first, 120);
    expect(await sessionsOf(first)).toHaveLength(100);
    const last = await logIn(service, first.phone);
    expect(await sessionsOf(last)).toHaveLength(20);
    expect(await isAlive(first.access_token)).toBe(false);
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
    // the session and its token
    expect(await service.app.get(SessionsRepository).purgeEnded()).toBe(2);
    const rows = await service.dataSource.query<{ user_id: string; tokens: string }[]>(
      `SELECT s.user_id, count(t.*) AS tokens FROM onboarding.sessions s
         JOIN onboarding.refresh_tokens t ON t.session_id = s.id WHERE s.user_id = ANY($1) GROUP BY 1`,
      [[old, recent, open].map(({ user_id }) => user_id)],
    );
    expect(rows.map(({ user_id }) => user_id).sort()).toEqual([recent.user_id, open.user_id].sort());
    expect(await isAlive(open.access_token)).toBe(true);
  });
});

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
      'a token not valid yet',
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
    const { access_token } = await logIn(service);
    const remaining = async (bearer: string) =>
      Number((await service.api.with({ bearer }).get(PROFILE)).headers['x-ratelimit-remaining']);
    const mine = await remaining(access_token);
    await remaining('abc');
    expect(await remaining(access_token)).toBe(mine - 1);
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

/** Order of the P-256 group. If (r, s) signs a text, so does (r, ORDER - s). */
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

const base64url = (text: string): string => Buffer.from(text).toString('base64url');

describe('verification of access tokens', () => {
  let service: TestService;
  let postgres: TcpProxy | undefined;
  let redis: TcpProxy | undefined;
  let user: LoggedIn;
  let claims: JWTPayload;
  let ownKey: KeyObject;
  beforeAll(async () => {
    service = await startService();
    user = await logIn(service);
    claims = decodeJwt(user.access_token);
    const { keys } = JSON.parse(service.environment['JWT_KEYS']!) as { keys: JsonWebKey[] };
    ownKey = createPrivateKey({ key: keys[0]!, format: 'jwk' });
  });
  afterAll(async () => {
    await service.close();
    await postgres?.close();
    await redis?.close();
  });

  const HEADER = { alg: 'ES256', typ: 'at+jwt', kid: 'test-key' };

  /** Signs texts unchanged, by default with the service's key. */
  function signed(
    header: string,
    payload: string,
    { key = ownKey, hash = 'sha256' }: { key?: KeyObject; hash?: string } = {},
  ): string {
    const head = `${base64url(header)}.${base64url(payload)}`;
    return `${head}.${sign(hash, Buffer.from(head), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
  }
  const withHeader = (changes: object) =>
    signed(JSON.stringify({ ...HEADER, ...changes }), JSON.stringify(claims));
  const withHeaderText = (text: string) => signed(text, JSON.stringify(claims));
  const withClaims = (changes: object) =>
    signed(JSON.stringify(HEADER), JSON.stringify({ ...claims, ...changes }));
  const withClaimsText = (text: string) => signed(JSON.stringify(HEADER), text);
  const withSignature = (change: (bytes: Buffer) => Buffer | string): string => {
    const [header, payload, signature] = user.access_token.split('.');
    const changed = change(Buffer.from(signature!, 'base64url'));
    return `${header}.${payload}.${typeof changed === 'string' ? changed : changed.toString('base64url')}`;
  };
  const parts = () => user.access_token.split('.') as [string, string, string];
  const seconds = () => Math.floor(Date.now() / 1_000);
  const now = () => JSON.stringify(claims);
  const ec = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve }).privateKey;

  const MALFORMED: Record<string, () => string> = {
    'flattened JSON': () => {
      const [header, payload, signature] = parts();
      return JSON.stringify({ protected: header, payload, signature });
    },
    'general JSON': () => {
      const [header, payload, signature] = parts();
      return JSON.stringify({ payload, signatures: [{ protected: header, signature }] });
    },
    'JSON with two dots in it': () => '{"a":"b.c.d"}',
    'nothing but dots': () => '..',
    'four parts': () => `${user.access_token}.`,
    'two parts': () => parts().slice(0, 2).join('.'),
    'more than 4 KB': () => withClaims({ more: 'x'.repeat(4_096) }),
    'a header that is not an object': () => withHeaderText('"ES256"'),
    'a header that is a list': () => withHeaderText(JSON.stringify([HEADER])),
    'a header with a byte order mark': () => withHeaderText(`\ufeff${JSON.stringify(HEADER)}`),
    'a header that is not UTF-8': () => {
      const [, payload, signature] = parts();
      return `${Buffer.from([0xff, 0xfe, 0x7b, 0x7d]).toString('base64url')}.${payload}.${signature}`;
    },
  };

  const REFUSED: Record<string, () => string> = {
    'another curve, by its name': () =>
      signed(JSON.stringify({ ...HEADER, alg: 'ES384' }), now(), { key: ec('P-384'), hash: 'sha384' }),
    'another curve, under our name': () => signed(JSON.stringify(HEADER), now(), { key: ec('secp256k1') }),
    'a larger curve, under our name': () => signed(JSON.stringify(HEADER), now(), { key: ec('P-384') }),
    'another hash': () => signed(JSON.stringify(HEADER), now(), { hash: 'sha512' }),
    'another key of our curve': () => signed(JSON.stringify(HEADER), now(), { key: ec('P-256') }),
    ...Object.fromEntries(
      [
        'none',
        'None',
        'es256',
        'ES256 ',
        'ES256K',
        'HS256',
        'RS256',
        'PS256',
        'EdDSA',
        '',
        null,
        ['ES256'],
      ].map((alg) => [`alg ${JSON.stringify(alg)}`, () => withHeader({ alg })]),
    ),
    ...Object.fromEntries(
      ['JWT', 'at+JWT', 'application/at+jwt', '', null].map((typ) => [
        `typ ${JSON.stringify(typ)}`,
        () => withHeader({ typ }),
      ]),
    ),
    ...Object.fromEntries(
      [
        '',
        '__proto__',
        '../../../dev/null',
        "' OR 1=1 --",
        'test-key\u0000',
        'x'.repeat(1_000),
        0,
        null,
        ['test-key'],
        {},
      ].map((kid) => [`kid ${JSON.stringify(kid).slice(0, 30)}`, () => withHeader({ kid })]),
    ),
    ...Object.fromEntries(
      Object.entries({
        crit: ['exp'],
        b64: false,
        zip: 'DEF',
        cty: 'JWT',
        jwk: { kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA' },
        jku: 'https://attacker.example/jwks.json',
        x5u: 'https://attacker.example/chain.pem',
        x5c: ['MII'],
        x5t: 'AAAA',
        enc: 'A256GCM',
      }).map(([name, value]) => [`a header with ${name}`, () => withHeader({ [name]: value })]),
    ),
    'a kid twice, ours last': () =>
      withHeaderText('{"alg":"ES256","typ":"at+jwt","kid":"other","kid":"test-key"}'),
    'a kid twice, ours first': () =>
      withHeaderText('{"alg":"ES256","typ":"at+jwt","kid":"test-key","kid":"other"}'),
    'an alg twice': () => withHeaderText('{"alg":"none","alg":"ES256","typ":"at+jwt","kid":"test-key"}'),
    'a kid whose name is escaped': () =>
      withHeaderText('{"alg":"ES256","typ":"at+jwt","kid":"other","\\u006bid":"test-key"}'),
    'blanks in its header': () => withHeaderText('{"alg": "ES256", "typ": "at+jwt", "kid": "test-key"}'),
    'a subject twice': () => withClaimsText(`${now().slice(0, -1)},"sub":"${claims.sub}"}`),
    'claims that are not an object': () => withClaimsText('[]'),
    'claims that are not JSON': () => withClaimsText('sub'),
    'a signature with padding': () => `${user.access_token}==`,
    'a signature in base64 instead of base64url': () =>
      withSignature((bytes) => bytes.toString('base64').replace(/=+$/, '').replace(/^./, '+')),
    'a signature in DER': () => {
      const head = parts().slice(0, 2).join('.');
      return `${head}.${sign('sha256', Buffer.from(head), ownKey).toString('base64url')}`;
    },
    'a signature of zeros': () => withSignature((bytes) => Buffer.alloc(bytes.length)),
    'a signature of ones': () => withSignature((bytes) => Buffer.alloc(bytes.length, 0xff)),
    'an empty signature': () => withSignature(() => ''),
    'a signature with its halves swapped': () =>
      withSignature((bytes) => Buffer.concat([bytes.subarray(32), bytes.subarray(0, 32)])),
    'a signature that is too long by a byte': () =>
      withSignature((bytes) => Buffer.concat([bytes, Buffer.alloc(1)])),
    'a signature that is too short by a byte': () => withSignature((bytes) => bytes.subarray(1)),
    'a signature with the group order as r': () =>
      withSignature((bytes) => Buffer.concat([Buffer.from(ORDER.toString(16), 'hex'), bytes.subarray(32)])),
    ...Object.fromEntries(
      [0, 1, 31, 32, 63].map((at) => [
        `a signature with byte ${at} changed`,
        () =>
          withSignature((bytes) => {
            bytes[at]! ^= 1;
            return bytes;
          }),
      ]),
    ),
    // the last base64 character carries four unused bits
    'a signature with unused bits set at its end': () =>
      user.access_token.slice(0, -1) +
      ({ A: 'B', Q: 'R', g: 'h', w: 'x' } as Record<string, string>)[user.access_token.at(-1)!],
    ...Object.fromEntries(
      ['other', '', null, ['other'], {}, 'FD-ONBOARDING'].map((aud) => [
        `audience ${JSON.stringify(aud)}`,
        () => withClaims({ aud }),
      ]),
    ),
    ...Object.fromEntries(
      ['https://other.example', 'http://localhost:3001/', 'http://localhost:3002', '', null].map((iss) => [
        `issuer ${JSON.stringify(iss)}`,
        () => withClaims({ iss }),
      ]),
    ),
    'no audience': () => withClaims({ aud: undefined }),
    'no issuer': () => withClaims({ iss: undefined }),
    'no subject': () => withClaims({ sub: undefined }),
    'no session': () => withClaims({ sid: undefined }),
    'no expiry': () => withClaims({ exp: undefined }),
    'an expiry that is text': () => withClaims({ exp: String(claims.exp) }),
    'a session that is a list': () => withClaims({ sid: [claims['sid']] }),
    'not valid for another minute': () => withClaims({ nbf: seconds() + 60 }),
    'a not-before time that is text': () => withClaims({ nbf: 'now' }),
  };

  const EXPIRED: Record<string, () => string> = {
    'expired for 31 seconds': () => withClaims({ exp: seconds() - 31 }),
    'expired since 1970': () => withClaims({ exp: 0 }),
    'expired before 1970': () => withClaims({ exp: -1 }),
  };

  it('accepts an access token that the test signs with the key of the service', async () => {
    expect((await service.api.with({ bearer: withClaims({}) }).get(PROFILE)).status).toBe(200);
  });

  it('tolerates a clock difference of 30 seconds in both directions', async () => {
    for (const tolerated of [() => ({ exp: seconds() - 25 }), () => ({ nbf: seconds() + 25 })]) {
      // again if the call took longer than the seconds left
      await eventually(async () => {
        const made = tolerated();
        const response = await service.api.with({ bearer: withClaims(made) }).get(PROFILE);
        expect([made, response.status]).toEqual([made, 200]);
      });
    }
  });

  it('accepts the second ECDSA signature of the same token, which ends with its session', async () => {
    const own = await logIn(service);
    const [header, payload, signature] = own.access_token.split('.') as [string, string, string];
    const bytes = Buffer.from(signature, 'base64url');
    const other = ORDER - BigInt(`0x${bytes.toString('hex', 32)}`);
    bytes.write(other.toString(16).padStart(64, '0'), 32, 'hex');
    const twin = service.api.with({ bearer: `${header}.${payload}.${bytes.toString('base64url')}` });
    expect((await twin.get(PROFILE)).status).toBe(200);
    await as(service.api, own).post('/auth/api/v2/logout', {});
    expectRefusal(await twin.get(PROFILE), SessionErrors.ended);
  });

  /** Starts a replica cut off from PostgreSQL and Redis, which must judge tokens without them. */
  async function aStorelessReplica(): Promise<UsersApp> {
    postgres = await TcpProxy.before(service.environment['DATABASE_URL']!);
    redis = await TcpProxy.before(service.environment['REDIS_URL']!);
    const replica = await service.replica({ DATABASE_URL: postgres.url, REDIS_URL: redis.url });
    postgres.cut();
    redis.cut();
    return replica;
  }

  it('refuses every forged access token with its own code, without asking a store', async () => {
    const storeless = await aStorelessReplica();
    expectRefusal(
      await storeless.api.with({ bearer: withClaims({}) }).get(PROFILE),
      GeneralErrors.unavailable,
    );
    let forged = 0;
    for (const [code, tokens] of [
      [SessionErrors.tokenMalformed.code, MALFORMED],
      [SessionErrors.tokenInvalid.code, REFUSED],
      [SessionErrors.tokenExpired.code, EXPIRED],
    ] as const) {
      for (const [name, make] of Object.entries(tokens)) {
        const { status, body, headers } = await storeless.api.with({ bearer: make() }).get(PROFILE);
        const [item] = (body as { error: { errorCode: string }[] }).error;
        expect([name, status, item?.errorCode]).toEqual([name, 401, code]);
        expect(headers['www-authenticate']).toBe('Bearer');
        forged++;
      }
    }
    recordEvidence('tokens-forged', { forged, accepted: 0 });
  });
});
