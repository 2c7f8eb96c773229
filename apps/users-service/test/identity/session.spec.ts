import type { TokenPayload, UserSessionsPayload } from '@fd/contracts';
import { GeneralErrors, SessionErrors } from '@fd/errors';
import { eventually, expectRefusal, inParallel } from '@fd/testing';
import { decodeJwt } from 'jose';
import { SessionsRepository } from '../../src/identity/sessions/sessions.repository.js';
import { trailOf } from '../support/audit.js';
import { as, logIn, type LoggedIn } from '../support/login.js';
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
      await eventually(async () =>
        expect(
          await service.dataSource.query<object[]>(
            "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
          ),
        ).toHaveLength(1),
      );
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
    clock.advanceSeconds(29);
    expect((await renew(user.refresh_token)).status).toBe(200);
    const { body } = await api.with({ bearer: next.access_token }).get('/api/v1/user-sessions');
    const [{ last_used_at, expires_at }] = (body as { payload: UserSessionsPayload }).payload.sessions as [
      UserSessionsPayload['sessions'][number],
    ];
    expect(Math.abs(Date.parse(last_used_at) + 29_000 - clock.now().getTime())).toBeLessThan(10_000);
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
