import { randomUUID } from 'node:crypto';
import { GeneralErrors } from '@fd/errors';
import {
  administer,
  type ApiClient,
  eventually,
  expectRefusal,
  recordEvidence,
  repeatUntilServed,
  TcpProxy,
} from '@fd/testing';
import type { Response } from 'supertest';
import { DataSource } from 'typeorm';
import { answeredWithin } from '../../test/support/answered-within.js';
import { Crowd } from '../../test/support/crowd.js';
import { aPhone, codeOf } from '../../test/support/inbox.js';
import { as, logIn, verifyBody } from '../../test/support/login.js';
import { type OwnPostgres, throwawayPostgres } from '../../test/support/own-postgres.mjs';
import { startSynchronousStandby } from '../../test/support/synchronous-standby.js';
import { startService, type TestService } from '../../test/support/users-app.js';

const VERIFY = '/auth/api/v2/register/verify';
/** The two seconds that a client may have to wait, plus a margin for a busy machine. */
const IN_TIME_MS = 4_000;

const END_CONNECTIONS = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'service'";

describe('failing PostgreSQL', () => {
  let postgres: OwnPostgres;
  let proxy: TcpProxy;
  let service: TestService;

  /** Runs statements as the superuser, who has no limits. */
  const asAdministrator = (...statements: string[]) => administer(postgres.url('onboarding'), ...statements);

  beforeAll(async () => {
    postgres = await throwawayPostgres('the tests of PostgreSQL in trouble');
    const create = [
      "CREATE ROLE service LOGIN PASSWORD 'service'",
      'CREATE DATABASE onboarding OWNER service',
    ];
    await administer(postgres.url('postgres'), ...create);
    proxy = await TcpProxy.before(postgres.url('onboarding'));
    const url = new URL(proxy.url);
    url.username = url.password = 'service';
    service = await startService({ DATABASE_URL: url.href });
  });
  /** Undoes the faults of a test, even after a failure. */
  let undo: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    proxy.heal();
    for (const step of undo) await step();
    undo = [];
  });
  afterAll(async () => {
    await service.close();
    await proxy.close();
    await postgres.release();
  });

  const profile = (api: ApiClient) => api.get('/api/v1/user-profile');
  const track = (api: ApiClient, eventId: string = randomUUID()) =>
    api.post('/api/v1/insights-tracking', {
      event_id: eventId,
      event_name: 'PAN_SUBMITTED',
      occurred_at: new Date().toISOString(),
    });
  const health = async (kind: 'live' | 'ready') => (await service.api.get(`/health/${kind}`)).status;
  /** Returns the state of PostgreSQL in the readiness report. */
  const reported = async () => {
    const { body } = await service.api.get('/health/ready');
    return (body as { checks: { postgres: string } }).checks.postgres;
  };

  /** Expects a call to be answered 503 in time. */
  async function expectUnavailable(call: () => Promise<Response>): Promise<void> {
    const response = await answeredWithin(IN_TIME_MS, call);
    expectRefusal(response, GeneralErrors.unavailable);
    expect(Number(response.headers['retry-after'])).toBeGreaterThan(0);
    expect(response.text).not.toMatch(/ at |ECONN|typeorm|relation|disk|memory|lock/i);
  }

  /** Expects the service to recover without a restart, for several calls in parallel. */
  async function expectRecovery(api: ApiClient): Promise<void> {
    await eventually(async () => expect(await reported()).toBe('up'));
    await eventually(async () => {
      const responses = await Promise.all(Array.from({ length: 12 }, () => track(api)));
      expect(responses.map(({ status }) => status)).toEqual(Array(12).fill(200));
    });
  }

  interface Fault {
    readonly begin: () => Promise<unknown>;
    readonly end: () => Promise<unknown>;
  }

  /** Starts a fault. @returns what ends it; afterEach ends it if the test fails */
  async function suffer({ begin, end }: Fault): Promise<() => Promise<void>> {
    undo = [end];
    await begin();
    return async () => {
      undo = [];
      await end();
    };
  }

  const AWAY: Record<string, Fault> = {
    'is stopped': { begin: () => postgres.stop(), end: () => postgres.start() },
    'has crashed': { begin: () => postgres.stop({ isCrash: true }), end: () => postgres.start() },
    'has no connection left': {
      begin: () => asAdministrator('ALTER ROLE service CONNECTION LIMIT 0', END_CONNECTIONS),
      end: () => asAdministrator('ALTER ROLE service CONNECTION LIMIT -1'),
    },
    'rejects our password': {
      begin: () => asAdministrator("ALTER ROLE service PASSWORD 'another'", END_CONNECTIONS),
      end: () => asAdministrator("ALTER ROLE service PASSWORD 'service'"),
    },
    'allows no connections': {
      begin: () =>
        administer(
          postgres.url('postgres'),
          'ALTER DATABASE onboarding ALLOW_CONNECTIONS false',
          END_CONNECTIONS,
        ),
      end: () => administer(postgres.url('postgres'), 'ALTER DATABASE onboarding ALLOW_CONNECTIONS true'),
    },
  };

  it.each(Object.keys(AWAY))(
    'answers 503 in time while PostgreSQL %s, stays ready, recovers without a restart, and consumes no code or token',
    async (name) => {
      const user = await logIn(service);
      const api = as(service.api, user);
      const phone = aPhone();
      await repeatUntilServed(() => service.api.post('/auth/register', { phone }));
      const code = await codeOf(phone);
      const heal = await suffer(AWAY[name]!);
      const eventId = randomUUID();
      await expectUnavailable(() => profile(api));
      await expectUnavailable(() => track(api, eventId));
      await expectUnavailable(() => service.api.post(VERIFY, verifyBody(phone, code)));
      const { refresh_token } = user;
      await expectUnavailable(() => service.api.post('/auth/api/v2/token/refresh', { refresh_token }));
      expect([await health('live'), await health('ready'), await reported()]).toEqual([200, 200, 'down']);
      await heal();
      await expectRecovery(api);
      const tracked = await repeatUntilServed(() => track(api, eventId));
      expect(tracked.body).toMatchObject({ payload: { accepted: 1 } });
      for (const call of [
        () => service.api.post(VERIFY, verifyBody(phone, code)),
        () => service.api.post('/auth/api/v2/token/refresh', { refresh_token }),
      ])
        expect((await repeatUntilServed(call)).status).toBe(200);
    },
  );

  it('serves only reads without an audit record while PostgreSQL is read-only, and closes read-only connections', async () => {
    const user = await logIn(service);
    const api = as(service.api, user);
    const readOnly = (value: string) =>
      asAdministrator(
        'SET default_transaction_read_only = off',
        `ALTER DATABASE onboarding SET default_transaction_read_only = ${value}`,
      );
    const heal = await suffer({ begin: () => readOnly('on'), end: () => readOnly('off') });
    // as after a failover to a standby: every connection is new and read-only
    await asAdministrator(END_CONNECTIONS);
    await eventually(async () =>
      expect((await api.get('/api/v1/personal-details/options')).status).toBe(200),
    );
    const eventId = randomUUID();
    await expectUnavailable(() => track(api, eventId));
    // personal data is never shown without an audit record
    await expectUnavailable(() => profile(api));
    await expectUnavailable(() =>
      service.api.post('/auth/api/v2/token/refresh', { refresh_token: user.refresh_token }),
    );
    expect([await health('live'), await health('ready'), await reported()]).toEqual([200, 200, 'down']);
    await heal();
    // PostgreSQL keeps connections that it made read-only; the service closes them
    await expectRecovery(api);
    expect((await track(api, eventId)).body).toMatchObject({ payload: { accepted: 1 } });
  });

  /** Creates a trigger that runs BODY before each insert of an event. */
  const trigger = (body: string): string[] => [
    `CREATE OR REPLACE FUNCTION onboarding.fault() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN ${body} RETURN NEW; END $$`,
    `CREATE OR REPLACE TRIGGER fault BEFORE INSERT ON onboarding.insight_events
       FOR EACH ROW EXECUTE FUNCTION onboarding.fault()`,
  ];
  const dropTrigger = () => asAdministrator('DROP FUNCTION onboarding.fault() CASCADE');
  const raises = (code: string): Fault => ({
    begin: () => asAdministrator(...trigger(`RAISE EXCEPTION 'a fault' USING ERRCODE = '${code}';`)),
    end: dropTrigger,
  });
  let locker: DataSource;

  const ONE_TABLE: Record<string, Fault> = {
    'waits for a long lock': {
      begin: async () => {
        locker = new DataSource({ type: 'postgres', url: postgres.url('onboarding') });
        const runner = (await locker.initialize()).createQueryRunner();
        await runner.startTransaction();
        await runner.query('LOCK TABLE onboarding.insight_events IN ACCESS EXCLUSIVE MODE');
      },
      end: () => locker.destroy(),
    },
    'is too slow': { begin: () => asAdministrator(...trigger('PERFORM pg_sleep(5);')), end: dropTrigger },
    'meets a full disk': raises('53100'),
    'runs out of memory': raises('53200'),
    'ends in a deadlock': raises('40P01'),
    'cannot be serialised': raises('40001'),
    'meets a disk error': raises('58030'),
    'loses its connection': {
      begin: () => asAdministrator(...trigger('PERFORM pg_terminate_backend(pg_backend_pid());')),
      end: dropTrigger,
    },
  };

  it.each(Object.keys(ONE_TABLE))(
    'answers 503 in time to work that %s, serves the rest, and leaves no trace of that work',
    async (name) => {
      const api = as(service.api, await logIn(service));
      const heal = await suffer(ONE_TABLE[name]!);
      const eventId = randomUUID();
      await expectUnavailable(() => track(api, eventId));
      await eventually(async () => expect((await profile(api)).status).toBe(200));
      expect([await health('live'), await health('ready')]).toEqual([200, 200]);
      await heal();
      await expectRecovery(api);
      expect((await track(api, eventId)).body).toMatchObject({ payload: { accepted: 1, duplicates: 0 } });
    },
  );

  it('answers each call in time, with its work done or not done at all, while every statement takes 300 ms', async () => {
    const api = as(service.api, await logIn(service));
    await profile(api);
    proxy.slowDown(300);
    const eventIds = Array.from({ length: 4 }, () => randomUUID());
    const done: string[] = [];
    for (const eventId of eventIds) {
      const response = await answeredWithin(IN_TIME_MS, () => track(api, eventId));
      if (response.status === 200) done.push(eventId);
      else expectRefusal(response, GeneralErrors.unavailable);
    }
    expect(await health('live')).toBe(200);
    proxy.heal();
    await expectRecovery(api);
    for (const eventId of eventIds) {
      const { body } = await repeatUntilServed(() => track(api, eventId));
      const { accepted, duplicates } = body.payload;
      expect(accepted + duplicates).toBe(1);
      if (done.includes(eventId)) expect(duplicates).toBe(1);
    }
  });

  it('answers 503 in time to waiting calls while slow work holds all connections', async () => {
    const narrow = await service.replica({ DATABASE_POOL_SIZE: '2' });
    const api = as(narrow.api, await logIn(service));
    const heal = await suffer(ONE_TABLE['is too slow']!);
    const responses = await answeredWithin(IN_TIME_MS, () =>
      Promise.all(Array.from({ length: 12 }, () => track(api))),
    );
    for (const response of responses) expectRefusal(response, GeneralErrors.unavailable);
    expect((await narrow.api.get('/health/live')).status).toBe(200);
    await heal();
    await eventually(async () => expect((await track(api)).status).toBe(200));
  });

  describe('under load', () => {
    const during = async (crowd: Crowd, work: () => Promise<unknown>): Promise<void> => {
      const seen = () => crowd.events.length;
      const goesOn = async () => {
        const before = seen();
        await eventually(() => expect(seen()).toBeGreaterThan(before + 10));
      };
      await goesOn();
      await work();
      await goesOn();
      await crowd.end();
    };

    it('loses no acknowledged write and repeats none while connections end again and again', async () => {
      const crowd = new Crowd(service, 4);
      await during(crowd, async () => {
        for (let times = 0; times < 10; times++) {
          const before = crowd.events.length;
          await asAdministrator(END_CONNECTIONS);
          await eventually(() => expect(crowd.events.length).toBeGreaterThan(before));
        }
      });
      await crowd.expectNothingLostOrDoubled(service);
      recordEvidence('postgres-connections-cut', { 'times cut': 10, ...crowd.figures });
    });

    it('loses no acknowledged write and repeats none while PostgreSQL crashes and comes back', async () => {
      const crowd = new Crowd(service, 4);
      await during(crowd, async () => {
        for (let times = 0; times < 2; times++) {
          await postgres.stop({ isCrash: true });
          await postgres.start();
          const before = crowd.events.length;
          await eventually(() => expect(crowd.events.length).toBeGreaterThan(before));
        }
      });
      expect(crowd.refused).toBeGreaterThan(0);
      await crowd.expectNothingLostOrDoubled(service);
      recordEvidence('postgres-crash', { crashes: 2, ...crowd.figures });
    });

    it('loses no acknowledged write and repeats none while a standby takes over after a crash', async () => {
      const standby = await startSynchronousStandby(postgres);
      const crowd = new Crowd(service, 4);
      await during(crowd, async () => {
        await postgres.stop({ isCrash: true });
        // the standby is reachable before it accepts writes
        proxy.redirect(standby.url('onboarding'));
        await eventually(async () => expect(await reported()).toBe('down'));
        const { refused } = crowd;
        await eventually(() => expect(crowd.refused).toBeGreaterThan(refused + 4));
        await administer(standby.url('postgres'), 'ALTER SYSTEM RESET synchronous_standby_names');
        await administer(standby.url('postgres'), 'SELECT pg_promote()', 'SELECT pg_reload_conf()');
      });
      expect(crowd.refused).toBeGreaterThan(0);
      await crowd.expectNothingLostOrDoubled(service);
      await service.close();
      await standby.release();
      recordEvidence('postgres-failover', crowd.figures);
    });
  });
});
