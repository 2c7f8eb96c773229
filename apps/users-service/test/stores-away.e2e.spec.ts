import { eventually, expectRefusal, TcpProxy } from '@fd/testing';
import { aPhone, codeOf, inboxOf } from './support/inbox.js';
import { as, logIn, verifyBody } from './support/login.js';
import { startService, type TestService, type UsersApp } from './support/users-app.js';

const VERIFY = '/auth/api/v2/register/verify';

describe('while a store is away', () => {
  let service: TestService;
  let redis: TcpProxy;
  let postgres: TcpProxy;
  /** A replica that reaches its stores through the proxies. */
  let replica: UsersApp;

  beforeAll(async () => {
    service = await startService();
    redis = await TcpProxy.before(service.environment['REDIS_URL']!);
    postgres = await TcpProxy.before(service.environment['DATABASE_URL']!);
    replica = await service.replica({ REDIS_URL: redis.url, DATABASE_URL: postgres.url });
    await eventually(async () => expect((await ready()).status).toBe(200));
  });
  afterEach(async () => {
    redis.heal();
    postgres.heal();
    await eventually(async () => expect((await ready()).status).toBe(200));
  });
  afterAll(async () => {
    await service.close();
    await redis.close();
    await postgres.close();
  });

  const ready = () => replica.api.get('/health/ready');
  const register = (phone: string) => replica.api.post('/auth/register', { phone });

  it.each(['cut', 'freeze'] as const)(
    'Redis %s: no code is sent or compared, known users go on, limits are counted in memory',
    async (fault) => {
      const user = await logIn(replica);
      const phone = aPhone();
      await register(phone);
      const code = await codeOf(phone);
      redis[fault]();
      const silent = aPhone();
      const sent = await register(silent);
      expectRefusal(sent, 'SVCUSER2991');
      expect(Number(sent.headers['retry-after'])).toBeGreaterThan(0);
      expect(await inboxOf(silent)).toHaveLength(0);
      expectRefusal(await replica.api.post(VERIFY, verifyBody(phone, code)), 'SVCUSER2991');
      const profile = await as(replica.api, user).get('/api/v1/user-profile');
      expect(profile.status).toBe(200);
      expect(profile.headers['x-ratelimit-limit']).toBeTruthy();
      expect((await ready()).body).toMatchObject({ checks: { postgres: 'up', redis: 'down' } });
      expect((await replica.api.get('/health/live')).status).toBe(200);
      redis.heal();
      await eventually(async () => expect((await register(aPhone())).status).toBe(201));
      // what a frozen Redis was asked it may still have done once it woke up: then the code is used, never wrong
      const again = await replica.api.post(VERIFY, verifyBody(phone, code));
      if (again.status !== 200) expectRefusal(again, 'SVCUSER2011');
      if (fault === 'cut') expect(again.status).toBe(200);
      expect((await logIn(replica, phone)).user.phone).toContain(phone.slice(-4));
    },
  );

  it.each(['cut', 'freeze'] as const)(
    'PostgreSQL %s: 503 without a stack trace, and the code is still good afterwards',
    async (fault) => {
      const user = await logIn(replica);
      const phone = aPhone();
      await register(phone);
      const code = await codeOf(phone);
      postgres[fault]();
      for (const call of [
        () => replica.api.post(VERIFY, verifyBody(phone, code)),
        () => as(replica.api, user).get('/api/v1/user-profile'),
        () => replica.api.post('/auth/api/v2/token/refresh', { refresh_token: user.refresh_token }),
      ]) {
        const response = await call();
        expectRefusal(response, 'SVCUSER2991');
        expect(response.text).not.toMatch(/ at |ECONN|typeorm/i);
        expect(Number(response.headers['retry-after'])).toBeGreaterThan(0);
      }
      // sending a code needs Redis only
      expect((await register(aPhone())).status).toBe(201);
      expect((await ready()).body).toMatchObject({
        status: 'unavailable',
        checks: { postgres: 'down', redis: 'up' },
      });
      expect((await replica.api.get('/health/live')).status).toBe(200);
      postgres.heal();
      await eventually(async () =>
        expect((await as(replica.api, user).get('/api/v1/user-profile')).status).toBe(200),
      );
      expect((await replica.api.post(VERIFY, verifyBody(phone, code))).status).toBe(200);
    },
  );

  it('starts without its stores and is ready once they are there', async () => {
    redis.cut();
    postgres.cut();
    const late = await service.replica({ REDIS_URL: redis.url, DATABASE_URL: postgres.url });
    expect((await late.api.get('/health/live')).status).toBe(200);
    expect((await late.api.get('/health/ready')).status).toBe(503);
    expectRefusal(await late.api.post('/auth/register', { phone: aPhone() }), 'SVCUSER2991');
    redis.heal();
    postgres.heal();
    await eventually(async () => expect((await late.api.get('/health/ready')).status).toBe(200));
    expect((await late.api.post('/auth/register', { phone: aPhone() })).status).toBe(201);
  });

  it('many calls at a frozen PostgreSQL are all answered', async () => {
    const user = await logIn(replica);
    postgres.freeze();
    const responses = await Promise.all(
      Array.from({ length: 60 }, () => as(replica.api, user).get('/api/v1/user-profile')),
    );
    for (const response of responses) expectRefusal(response, 'SVCUSER2991');
  });
});
