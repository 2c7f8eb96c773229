import { GeneralErrors, LoginErrors } from '@fd/errors';
import {
  type ApiClient,
  eventually,
  expectRefusal,
  recordEvidence,
  RedisServer,
  TcpProxy,
  repeatUntilServed,
} from '@fd/testing';
import type { Response } from 'supertest';
import { answeredWithin } from '../../test/support/answered-within.js';
import { aPhone, codeOf, inboxOf } from '../../test/support/inbox.js';
import { as, logIn, type LoggedIn, verifyBody } from '../../test/support/login.js';
import { startService, type TestService, type UsersApp } from '../../test/support/users-app.js';

const VERIFY = '/auth/api/v2/register/verify';
const LIMIT = 2_000;
const REPLICAS = 100;
/** The calls that one replica grants while Redis is down. */
const SHARE = LIMIT / REPLICAS;
const BATCH = 5;
/** A call that waits only for Redis must answer well within the two seconds that clients are promised. */
const PROMPTLY_MS = 1_500;

interface Stores {
  primary: RedisServer;
  /** Replicates the primary. */
  follower: RedisServer;
  proxy: TcpProxy;
}

interface Fault {
  readonly name: string;
  readonly begin: (stores: Stores) => Promise<unknown> | void;
  readonly end: (stores: Stores) => Promise<unknown> | void;
  /** Status that the probe (a ping) reports during the fault; undefined: either. */
  readonly reported?: 'up' | 'down';
  /** Whether the counters survive the fault. */
  readonly isKept: boolean;
}

const FAULTS: Fault[] = [
  {
    name: 'ends and comes back empty',
    begin: ({ primary }) => primary.kill(),
    end: ({ primary }) => primary.start(),
    reported: 'down',
    isKept: false,
  },
  {
    name: 'is frozen',
    begin: ({ primary }) => primary.freeze(),
    end: ({ primary }) => primary.thaw(),
    reported: 'down',
    isKept: true,
  },
  {
    name: 'takes a second for every answer',
    begin: ({ proxy }) => proxy.slowDown(1_000),
    end: ({ proxy }) => proxy.heal(),
    reported: 'down',
    isKept: true,
  },
  {
    name: 'breaks off in the middle of every answer',
    begin: ({ proxy }) => proxy.breakOff(2),
    end: ({ proxy }) => proxy.heal(),
    reported: 'down',
    isKept: true,
  },
  {
    name: 'is full, and evicts nothing',
    begin: ({ primary }) => primary.command('CONFIG', 'SET', 'maxmemory', 1),
    end: ({ primary }) => primary.command('CONFIG', 'SET', 'maxmemory', 0),
    reported: 'up',
    isKept: true,
  },
  {
    name: 'has become a replica whose primary is down',
    begin: ({ primary }) => primary.command('REPLICAOF', '127.0.0.1', 1),
    end: ({ primary }) => primary.command('REPLICAOF', 'NO', 'ONE'),
    isKept: true,
  },
  {
    name: 'fails over: the follower is promoted and gets the address',
    begin: ({ primary }) => primary.kill(),
    end: async ({ proxy, follower }) => {
      await follower.command('REPLICAOF', 'NO', 'ONE');
      proxy.redirect(follower.url);
    },
    reported: 'down',
    isKept: true,
  },
];

describe('failing Redis', () => {
  let service: TestService;
  let proxy: TcpProxy;
  let stores: Stores;
  let addresses = 0;
  let replica: UsersApp;
  /** Calls from an own address, because the calls that a replica grants to an address are soon used up. */
  let api: ApiClient;

  beforeAll(async () => {
    service = await startService();
    proxy = await TcpProxy.before(service.environment['REDIS_URL']!);
    replica = await service.replica({
      REDIS_URL: `redis://${new URL(proxy.url).host}`,
      RATE_LIMIT_PER_MINUTE: String(LIMIT),
      REPLICAS: String(REPLICAS),
      TRUSTED_PROXY_HOPS: '1',
    });
  });
  afterAll(async () => {
    await service.close();
    await proxy.close();
  });
  beforeEach(async () => {
    const [primary, follower] = await Promise.all([RedisServer.start(), RedisServer.start()]);
    await follower.follow(primary);
    stores = { primary, follower, proxy };
    proxy.redirect(primary.url);
    proxy.cut();
    proxy.heal();
    await eventually(async () => expect((await logIn(replica)).access_token).toBeTruthy());
    api = replica.api.with({ headers: { 'x-forwarded-for': `198.51.100.${(addresses += 1)}` } });
  });
  afterEach(async () => {
    await Promise.all([stores.primary.stop(), stores.follower.stop()]);
  });

  const register = (phone: string) => api.post('/auth/register', { phone });
  const verify = (phone: string, code: string) => api.post(VERIFY, verifyBody(phone, code));

  /** Expects that no code is sent or compared. */
  async function expectClosed(phone: string, code: string): Promise<void> {
    const silent = aPhone();
    const sent = await answeredWithin(PROMPTLY_MS, () => register(silent));
    expectRefusal(sent, GeneralErrors.unavailable);
    expect(Number(sent.headers['retry-after'])).toBeGreaterThan(0);
    expect(await inboxOf(silent)).toHaveLength(0);
    expectRefusal(await answeredWithin(PROMPTLY_MS, () => verify(phone, code)), GeneralErrors.unavailable);
  }

  /** Expects that logged-in users are served, up to this replica's share of the limit. */
  async function expectOpen(user: LoggedIn): Promise<void> {
    const answers: Response[] = [];
    const withStatus = (wanted: number) => answers.filter(({ status }) => status === wanted);
    // in small batches, because a busy machine answers some of many too late
    while (withStatus(429).length < BATCH && answers.length < 2 * (SHARE + BATCH)) {
      const calls = Array.from({ length: BATCH }, () => as(replica.api, user).get('/api/v1/user-profile'));
      answers.push(...(await Promise.all(calls)));
    }
    const [served, late, refused] = [withStatus(200), withStatus(503), withStatus(429)];
    expect(served.length).toBeGreaterThan(SHARE / 2);
    expect(served.length + late.length).toBe(SHARE);
    expect(served.length + late.length + refused.length).toBe(answers.length);
    for (const { headers } of served) expect(headers['x-ratelimit-limit']).toBe(String(LIMIT));
    // none is promised that this replica will not serve
    const left = served.map(({ headers }) => Number(headers['x-ratelimit-remaining']));
    expect(Math.max(...left)).toBeLessThan(SHARE);
    for (const answer of refused) expectRefusal(answer, GeneralErrors.tooManyRequests);
  }

  it.each(FAULTS)(
    'sends and compares no code but serves logged-in users when Redis $name',
    async ({ begin, end, reported, isKept }) => {
      const user = await logIn(replica);
      const phone = aPhone();
      expect((await repeatUntilServed(() => register(phone))).status).toBe(201);
      const code = await codeOf(phone);
      await stores.primary.command('WAIT', 1, 5_000);

      await begin(stores);
      await expectClosed(phone, code);
      await expectOpen(user);
      await eventually(async () => {
        const ready = await replica.api.get('/health/ready');
        const redis = reported ?? (expect.stringMatching(/^(up|down)$/) as string);
        const checks = { keys: 'up', postgres: 'up', redis };
        expect([ready.status, ready.body]).toEqual([200, { status: 'ok', checks }]);
      });

      await end(stores);
      await eventually(async () => expect((await register(aPhone())).status).toBe(201));
      const verified = await repeatUntilServed(() => verify(phone, code));
      if (isKept) expect(verified.status).toBe(200);
      else expectRefusal(verified, LoginErrors.otpExpired);
      // the shared limit applies again; calls granted meanwhile do not count
      await eventually(async () => {
        const { headers } = await as(replica.api, user).get('/api/v1/user-profile');
        expect(Number(headers['x-ratelimit-remaining'])).toBeGreaterThan(SHARE);
      });
    },
  );

  it('replaces open connections when Redis hands its address over, as in a failover', async () => {
    const { primary, follower } = stores;
    const phone = aPhone();
    await repeatUntilServed(() => register(phone));
    await primary.command('WAIT', 1, 5_000);
    await follower.command('REPLICAOF', 'NO', 'ONE');
    proxy.redirect(follower.url);
    await primary.follow(follower);
    await eventually(async () => expect((await register(aPhone())).status).toBe(201));
    const code = await codeOf(phone);
    expect((await repeatUntilServed(() => verify(phone, code))).status).toBe(200);
  });

  it('refuses codes lost in a failover, accepts others, and keeps the daily count', async () => {
    const { primary, follower } = stores;
    const [kept, lost] = [aPhone(), aPhone()];
    await repeatUntilServed(() => register(kept));
    await primary.command('WAIT', 1, 5_000);
    await follower.command('REPLICAOF', 'NO', 'ONE');
    await repeatUntilServed(() => register(lost));
    const lostCode = await codeOf(lost);
    await primary.kill();
    proxy.redirect(follower.url);
    await eventually(async () => expect((await register(aPhone())).status).toBe(201));
    expectRefusal(await repeatUntilServed(() => verify(lost, lostCode)), LoginErrors.otpExpired);
    const keptCode = await codeOf(kept);
    expect((await repeatUntilServed(() => verify(kept, keptCode))).status).toBe(200);
    // Redis has lost the first send, PostgreSQL has not
    const again = await repeatUntilServed(() => register(lost));
    expect(again.body).toMatchObject({ payload: { attemptsUsed: 0 } });
    const [{ sends }] = await service.dataSource.query<[{ sends: number }]>(
      'SELECT max(cardinality(sends)) AS sends FROM onboarding.otp_counts',
    );
    // a call that a busy machine answered too late was counted, too
    expect(sends).toBeGreaterThanOrEqual(2);
    const newCode = await codeOf(lost);
    expect((await repeatUntilServed(() => verify(lost, newCode))).status).toBe(200);
    recordEvidence('redis-failover-unreplicated', { 'codes lost': 1, 'codes kept': 1 });
  });

  it('replaces connections when Redis vanishes without closing them', async () => {
    const phone = aPhone();
    await repeatUntilServed(() => register(phone));
    proxy.loseExisting();
    expectRefusal(await answeredWithin(PROMPTLY_MS, () => register(aPhone())), GeneralErrors.unavailable);
    await eventually(async () => expect((await register(aPhone())).status).toBe(201));
    const code = await codeOf(phone);
    expect((await repeatUntilServed(() => verify(phone, code))).status).toBe(200);
  });
});
