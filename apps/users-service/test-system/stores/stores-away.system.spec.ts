import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LoginPayload } from '@fd/contracts';
import { GeneralErrors, LoginErrors } from '@fd/errors';
import { eventually, expectRefusal, recordEvidence, TcpProxy, repeatUntilServed } from '@fd/testing';
import { aPhone, codeOf, inboxOf } from '../../test/support/inbox.js';
import { lockWaiters } from '../../test/support/lock-waiters.js';
import { as, logIn, verifyBody } from '../../test/support/login.js';
import { startService, type TestService, type UsersApp } from '../../test/support/users-app.js';

const VERIFY = '/auth/api/v2/register/verify';

describe('while a store is down', () => {
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
    await untilBothAreUp(replica);
  });
  afterAll(async () => {
    await service.close();
    await redis.close();
    await postgres.close();
  });

  const ready = () => replica.api.get('/health/ready');
  /** Waits for both stores. The readiness status stays 200 while they are down, so it checks the report. */
  const untilBothAreUp = ({ api }: UsersApp) =>
    eventually(async () => {
      const { body } = await api.get('/health/ready');
      expect(body).toEqual({ status: 'ok', checks: { keys: 'up', postgres: 'up', redis: 'up' } });
    });
  /** Sends a login whose body arrives so late that too little time is left for the login. */
  const postLate = async (body: object): Promise<number | undefined> => {
    const { port } = replica.server.address() as AddressInfo;
    const text = JSON.stringify(body);
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
    const call = request({ host: '127.0.0.1', port, path: VERIFY, method: 'POST', headers });
    // the deadline counts from here
    const arrived = once(replica.server, 'request');
    call.flushHeaders();
    await arrived;
    await sleep(1_500);
    call.end(text);
    const [response] = (await once(call, 'response')) as [IncomingMessage];
    response.resume();
    return response.statusCode;
  };
  const register = (phone: string) => replica.api.post('/auth/register', { phone });
  /** The code of a phone, although a busy service may refuse the first calls. */
  const aCodeOf = async (phone: string): Promise<string> => {
    await repeatUntilServed(() => register(phone));
    return codeOf(phone);
  };

  it.each(['cut', 'freeze'] as const)(
    'sends and compares no code after a %s of Redis, serves logged-in users and counts limits in memory',
    async (fault) => {
      const user = await logIn(replica);
      const phone = aPhone();
      const code = await aCodeOf(phone);
      redis[fault]();
      const silent = aPhone();
      const sent = await register(silent);
      expectRefusal(sent, GeneralErrors.unavailable);
      expect(Number(sent.headers['retry-after'])).toBeGreaterThan(0);
      expect(await inboxOf(silent)).toHaveLength(0);
      expectRefusal(await replica.api.post(VERIFY, verifyBody(phone, code)), GeneralErrors.unavailable);
      const profile = await repeatUntilServed(() => as(replica.api, user).get('/api/v1/user-profile'));
      expect(profile.status).toBe(200);
      expect(profile.headers['x-ratelimit-limit']).toBeTruthy();
      // the load balancer must keep this replica, which still serves logged-in users
      await eventually(async () => {
        const { status, body } = await ready();
        const checks = { keys: 'up', postgres: 'up', redis: 'down' };
        expect([status, body]).toEqual([200, { status: 'ok', checks }]);
      });
      expect((await replica.api.get('/health/live')).status).toBe(200);
      redis.heal();
      await eventually(async () => expect((await register(aPhone())).status).toBe(201));
      // a frozen Redis runs queued commands when it wakes up; they must not invalidate the code
      const verify = () => replica.api.post(VERIFY, verifyBody(phone, code));
      expect((await repeatUntilServed(verify)).status).toBe(200);
      expectRefusal(await repeatUntilServed(verify), LoginErrors.otpExpired);
    },
  );

  it.each(['cut', 'freeze'] as const)(
    'answers 503 without a stack trace after a %s of PostgreSQL, and keeps the code valid',
    async (fault) => {
      const user = await logIn(replica);
      const phone = aPhone();
      const code = await aCodeOf(phone);
      postgres[fault]();
      for (const call of [
        () => replica.api.post(VERIFY, verifyBody(phone, code)),
        () => as(replica.api, user).get('/api/v1/user-profile'),
        () => replica.api.post('/auth/api/v2/token/refresh', { refresh_token: user.refresh_token }),
      ]) {
        const response = await call();
        expectRefusal(response, GeneralErrors.unavailable);
        expect(response.text).not.toMatch(/ at |ECONN|typeorm/i);
        expect(Number(response.headers['retry-after'])).toBeGreaterThan(0);
      }
      // sending a code needs only Redis, so the gateway must keep this replica
      expect((await repeatUntilServed(() => register(aPhone()))).status).toBe(201);
      await eventually(async () => {
        const { status, body } = await ready();
        const checks = { keys: 'up', postgres: 'down', redis: 'up' };
        expect([status, body]).toEqual([200, { status: 'ok', checks }]);
      });
      expect((await replica.api.get('/health/live')).status).toBe(200);
      postgres.heal();
      await eventually(async () =>
        expect((await as(replica.api, user).get('/api/v1/user-profile')).status).toBe(200),
      );
      const late = await repeatUntilServed(() => replica.api.post(VERIFY, verifyBody(phone, code)));
      expect(late.status).toBe(200);
    },
  );

  it('starts without its stores and becomes ready once they are up', async () => {
    redis.cut();
    postgres.cut();
    const late = await service.replica({ REDIS_URL: redis.url, DATABASE_URL: postgres.url });
    expect((await late.api.get('/health/live')).status).toBe(200);
    expect((await late.api.get('/health/ready')).status).toBe(503);
    expectRefusal(await late.api.post('/auth/register', { phone: aPhone() }), GeneralErrors.unavailable);
    expectRefusal(await late.api.post(VERIFY, verifyBody(aPhone(), '123456')), GeneralErrors.unavailable);
    expectRefusal(
      await late.api.post('/auth/api/v2/token/refresh', { refresh_token: 'a'.repeat(43) }),
      GeneralErrors.unavailable,
    );
    redis.heal();
    postgres.heal();
    await untilBothAreUp(late);
    const sent = await repeatUntilServed(() => late.api.post('/auth/register', { phone: aPhone() }));
    expect(sent.status).toBe(201);
  });

  it('answers every call while PostgreSQL is frozen', async () => {
    const user = await logIn(replica);
    postgres.freeze();
    const responses = await Promise.all(
      Array.from({ length: 60 }, () => as(replica.api, user).get('/api/v1/user-profile')),
    );
    for (const response of responses) expectRefusal(response, GeneralErrors.unavailable);
  });

  it('replaces connections whose other end has vanished', async () => {
    const user = await logIn(replica);
    await Promise.all(Array.from({ length: 20 }, () => as(replica.api, user).get('/api/v1/user-profile')));
    postgres.loseExisting();
    await eventually(async () => {
      const responses = await Promise.all(
        Array.from({ length: 10 }, () => as(replica.api, user).get('/api/v1/user-profile')),
      );
      expect(responses.map(({ status }) => status)).toEqual(Array(10).fill(200));
    });
  });

  it('keeps acknowledged writes after a stall: no abandoned transaction rolls them back', async () => {
    const users = await Promise.all(Array.from({ length: 12 }, () => logIn(service)));
    const stalled = users.map((user) =>
      replica.api.post('/auth/api/v2/token/refresh', { refresh_token: user.refresh_token }),
    );
    postgres.freeze();
    await Promise.all(stalled);
    postgres.heal();
    await untilBothAreUp(replica);
    for (const user of users) {
      await eventually(async () => {
        const response = await as(replica.api, user).post('/auth/api/v2/logout', {});
        expect([200, 401]).toContain(response.status);
      });
    }
    const [{ open }] = await service.dataSource.query<[{ open: string }]>(
      'SELECT count(*) AS open FROM onboarding.sessions WHERE ended_at IS NULL AND user_id = ANY($1)',
      [users.map(({ user_id }) => user_id)],
    );
    expect(open).toBe('0');
    await eventually(async () => {
      const [{ idle }] = await service.dataSource.query<[{ idle: string }]>(
        "SELECT count(*) AS idle FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'",
      );
      expect(idle).toBe('0');
    });
  });

  it('skips a login that could not be answered in time, and keeps its code valid', async () => {
    const phone = aPhone();
    const code = await aCodeOf(phone);
    await as(replica.api, await logIn(replica)).get('/api/v1/user-profile');
    expect(await postLate(verifyBody(phone, code))).toBe(503);
    const response = await eventually(async () => {
      const again = await replica.api.post(VERIFY, verifyBody(phone, code));
      expect(again.status).toBe(200);
      return again;
    });
    const { user_id, is_new_user } = (response.body as { payload: LoginPayload }).payload;
    expect(is_new_user).toBe(true);
    const sessions: unknown[] = await service.dataSource.query(
      'SELECT 1 FROM onboarding.sessions WHERE user_id = $1',
      [user_id],
    );
    expect(sessions).toHaveLength(1);
  });

  describe('login answered 503 at its end', () => {
    /** The user agent for which PostgreSQL is slow. */
    const SLOW = { headers: { 'user-agent': 'slow' } };
    const verify = (phone: string, code: string, options = {}) =>
      replica.api.post(VERIFY, verifyBody(phone, code), options);

    /** Runs a statement in PostgreSQL when such a login writes to a table, or commits. */
    const hinder = (
      table: 'sessions' | 'refresh_tokens',
      when: 'at once' | 'at the commit',
      statement: string,
    ) =>
      service.dataSource.query(`
        CREATE FUNCTION onboarding.hinder_${table}_${when === 'at once'} () RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          IF (SELECT device FROM onboarding.sessions
               WHERE id = (to_jsonb(NEW) ->> '${table === 'sessions' ? 'id' : 'session_id'}')::uuid) = 'slow'
          THEN ${statement};
          END IF;
          RETURN NULL;
        END $$;
        CREATE CONSTRAINT TRIGGER hinder_${when === 'at once'} AFTER INSERT ON onboarding.${table}
          ${when === 'at once' ? '' : 'DEFERRABLE INITIALLY DEFERRED'}
          FOR EACH ROW EXECUTE FUNCTION onboarding.hinder_${table}_${when === 'at once'} ()`);
    afterEach(() =>
      service.dataSource.query(`DO $$ DECLARE f regprocedure; BEGIN
        FOR f IN SELECT oid FROM pg_proc WHERE proname LIKE 'hinder%' LOOP
          EXECUTE 'DROP FUNCTION ' || f || ' CASCADE';
        END LOOP; END $$`),
    );

    async function openSessionsOf(userId: string): Promise<number> {
      const rows: unknown[] = await service.dataSource.query(
        'SELECT 1 FROM onboarding.sessions WHERE user_id = $1 AND ended_at IS NULL',
        [userId],
      );
      return rows.length;
    }

    it('logs in with the immediate repeat after a slow commit, and opens one session', async () => {
      const phone = aPhone();
      const other = await service.replica();
      // the commit begins in time and ends too late
      await hinder('sessions', 'at once', 'PERFORM pg_sleep(0.6)');
      await hinder('refresh_tokens', 'at once', 'PERFORM pg_sleep(0.6)');
      await hinder('sessions', 'at the commit', 'PERFORM pg_sleep(0.8)');
      const code = await aCodeOf(phone);
      expectRefusal(await verify(phone, code, SLOW), GeneralErrors.unavailable);
      // the first login may still hold locks: the repeat then gets 503, but never an expired code
      const answers: number[] = [];
      const { user_id } = await eventually(async () => {
        const { status, body } = await other.api.post(VERIFY, verifyBody(phone, code));
        answers.push(status);
        expect(status).toBe(200);
        return (body as { payload: LoginPayload }).payload;
      });
      expect(answers.filter((status) => status !== 503)).toEqual([200]);
      await eventually(async () => expect(await openSessionsOf(user_id)).toBe(1));
      expectRefusal(await repeatUntilServed(() => verify(phone, code)), LoginErrors.otpExpired);
      recordEvidence('code-outlives-503', { 'repeats until it logged in': answers.length, sessions: 1 });
    });

    it('keeps the code valid while Redis is down too', async () => {
      const phone = aPhone();
      const refusal = `PERFORM pg_advisory_xact_lock(1); RAISE 'refused' USING ERRCODE = '57P03'`;
      await hinder('sessions', 'at once', refusal);
      const code = await aCodeOf(phone);
      // on a busy machine the login may end before it is seen to wait: its code is valid for another try
      const refused = await eventually(() =>
        service.dataSource.transaction(async (tx) => {
          await tx.query('SELECT pg_advisory_xact_lock(1)');
          const answer = verify(phone, code, SLOW);
          await lockWaiters(service, 1, 1_000).catch(async (error: unknown) => {
            await answer;
            throw error;
          });
          redis.cut();
          return { answer };
        }),
      );
      expectRefusal(await refused.answer, GeneralErrors.unavailable);
      redis.heal();
      await untilBothAreUp(replica);
      await eventually(async () => expect((await verify(phone, code)).status).toBe(200));
    });
  });
});
