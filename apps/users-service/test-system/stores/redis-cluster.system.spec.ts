import '@fd/testing/use-generous-limits';
import type { RegisterPayload } from '@fd/contracts';
import { GeneralErrors, LoginErrors } from '@fd/errors';
import {
  eventually,
  expectRefusal,
  recordEvidence,
  RedisCluster,
  type RedisServer,
  inParallel,
} from '@fd/testing';
import type { Response } from 'supertest';
import { verifyEmail } from '../../test/support/email.js';
import { aPhone, codeOf, inboxOf, wrongCode } from '../../test/support/inbox.js';
import { as, logIn, verifyBody } from '../../test/support/login.js';
import { aPerson } from '../../test/support/person.js';
import { startService, type TestService, type UsersApp } from '../../test/support/users-app.js';
import { JourneyClient } from '../../test/support/journey-client.js';

const VERIFY = '/auth/api/v2/register/verify';
const LIMIT = 40;

/** The order matters: later tests remove nodes. */
describe('Redis Cluster', () => {
  let cluster: RedisCluster;
  let service: TestService;
  let other: UsersApp;

  beforeAll(async () => {
    cluster = await RedisCluster.start({ hasReplicas: true });
    // one node is enough to discover the others
    service = await startService({
      REDIS_URL: cluster.url,
      REDIS_CLUSTER: 'true',
      TRUSTED_PROXY_HOPS: '1',
    });
    other = await service.replica();
  });
  afterAll(async () => {
    await service.close();
    await cluster.stop();
  });

  const one = (i: number): UsersApp => (i % 2 ? other : service);
  const register = (phone: string, on: UsersApp = service) => on.api.post('/auth/register', { phone });
  const verify = (phone: string, code: string, on: UsersApp = service) =>
    on.api.post(VERIFY, verifyBody(phone, code));
  const redisState = async () =>
    ((await service.api.get('/health/ready')).body as { checks: { redis: string } }).checks.redis;

  it('spreads the keys of a service over all nodes, and the probe asks each node', async () => {
    for (let i = 0; i < 40; i++) {
      // calls without a token count by address
      const headers = { 'x-forwarded-for': `203.0.113.${i}` };
      expect((await one(i).api.get('/api/v1/user-profile', { headers })).status).toBe(401);
    }
    const sizes = await Promise.all(cluster.primaries.map((node) => node.command('DBSIZE')));
    for (const size of sizes) expect(size).toBeGreaterThan(0);
    expect(await redisState()).toBe('up');
  });

  it('lets users log in, refresh and continue', async () => {
    const user = await logIn(other);
    const refreshed = await service.api.post('/auth/api/v2/token/refresh', {
      refresh_token: user.refresh_token,
    });
    expect(refreshed.status).toBe(200);
    expect((await as(other.api, user).get('/api/v1/user-profile')).status).toBe(200);
  });

  it('counts exactly five of 12 parallel sends and compares five of 30 parallel wrong checks', async () => {
    const phone = aPhone();
    const sends = await inParallel(12, (i) => register(phone, one(i)));
    const wrong = wrongCode(await codeOf(phone));
    const checks = await inParallel(30, (i) => verify(phone, wrong, one(i)));
    const accepted = sends.filter(({ status }) => status === 201);
    const used = accepted.map(({ body }) => (body as { payload: RegisterPayload }).payload.attemptsUsed);
    expect(used.sort()).toEqual([0, 1, 2, 3, 4]);
    expect(await inboxOf(phone)).toHaveLength(5);
    const compared = checks.filter(({ status }) => status === 400);
    expect(compared).toHaveLength(5);
    for (const answer of compared) expectRefusal(answer, LoginErrors.otpWrong);
    for (const answer of checks.filter(({ status }) => status !== 400))
      expectRefusal(answer, LoginErrors.tooManyTries);
  });

  it('accepts a code once', async () => {
    const phone = aPhone();
    await register(phone);
    const code = await codeOf(phone);
    const answers = await inParallel(10, (i) => verify(phone, code, one(i)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it('shares an exact rate limit between replicas', async () => {
    const settings = { RATE_LIMIT_PER_MINUTE: String(LIMIT) };
    const [first, second] = [await service.replica(settings), await service.replica(settings)];
    const user = await logIn(service);
    const profile = (i: number) => as((i % 2 ? first : second).api, user).get('/api/v1/user-profile');
    const answers = await inParallel(LIMIT + 15, profile);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(LIMIT);
    for (const answer of answers.filter(({ status }) => status !== 200))
      expectRefusal(answer, GeneralErrors.tooManyRequests);
  });

  it('verifies an email address', async () => {
    const email = await verifyEmail(as(other.api, await logIn(service)));
    expect(email).toBeTruthy();
  });

  it('completes a journey to a deposit that is ready to book', async () => {
    const customer = new JourneyClient(service.url, 'aravalli', aPerson());
    await customer.all();
    const { payload } = (await customer.bookingCheck()).body;
    expect(payload['blockers']).toEqual([]);
  });

  describe('when the node that holds the codes fails', () => {
    let primary: RedisServer;
    let replica: RedisServer;
    beforeAll(async () => {
      primary = await cluster.primaryOf('{otp}');
      replica = cluster.replicas[cluster.primaries.indexOf(primary)]!;
    });

    const answersOf = async (): Promise<Response[]> => {
      const answers = await Promise.all(Array.from({ length: 12 }, () => register(aPhone())));
      for (const answer of answers.filter(({ status }) => status !== 201))
        expectRefusal(answer, GeneralErrors.unavailable);
      return answers;
    };
    const allAreServed = () =>
      eventually(async () => {
        for (const { status } of await answersOf()) expect(status).toBe(201);
      });
    const gone = async (node: RedisServer) => {
      await node.kill();
      await eventually(async () => expect(await redisState()).toBe('down'));
    };

    it('fails over to its replica without a restart of the service', async () => {
      const user = await logIn(service);
      await primary.kill();
      const meanwhile = await answersOf();
      expect(meanwhile.some(({ status }) => status === 503)).toBe(true);
      expect((await as(service.api, user).get('/api/v1/user-profile')).status).toBe(200);
      await allAreServed();
      await eventually(async () => expect(await redisState()).toBe('up'));
      recordEvidence('redis-cluster', { nodes: 6, killed: 1 });
    });

    it('answers 503 until the node is back when it has no replica, without a restart of the service', async () => {
      const user = await logIn(service);
      await gone(replica);
      const answers = await answersOf();
      expect(answers.some(({ status }) => status === 503)).toBe(true);
      expect((await as(service.api, user).get('/api/v1/user-profile')).status).toBe(200);
      await replica.start();
      await allAreServed();
      await eventually(async () => expect(await redisState()).toBe('up'));
    });

    it('answers 503 until the nodes are back when all others fail too', async () => {
      const nodes = [...cluster.primaries, ...cluster.replicas].filter((node) => node !== primary);
      await Promise.all(nodes.map((node) => node.kill()));
      await eventually(async () => expect(await redisState()).toBe('down'));
      for (const answer of await answersOf()) expect(answer.status).toBe(503);
      await Promise.all(nodes.map((node) => node.start()));
      await allAreServed();
    });
  });
});
