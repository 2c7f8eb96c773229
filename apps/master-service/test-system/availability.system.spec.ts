import '@fd/testing/use-generous-limits';
import { MasterErrors } from '@fd/errors';
import { eventually, RedisServer, TcpProxy, testRedis } from '@fd/testing';
import request from 'supertest';
import { storeApiKey } from '../src/api-keys/api-keys.repository.js';
import {
  shippedIssuers,
  createStores,
  type MasterApp,
  type MasterStores,
  startApp,
} from '../test/support/master-app.js';

let stores: MasterStores;
let postgres: TcpProxy;
let redis: TcpProxy;
let service: MasterApp;

beforeEach(async () => {
  stores = await createStores();
  postgres = await TcpProxy.before(stores.databaseUrl);
  redis = await TcpProxy.before(testRedis().url);
});
afterEach(async () => {
  // a repetition does nothing
  await service.close();
  await postgres.close();
  await redis.close();
  await stores.drop();
});

const throughProxies = () => ({
  ...stores.environment,
  DATABASE_URL: postgres.url,
  REDIS_URL: redis.url,
});

const start = async () => {
  service = await startApp(throughProxies());
};

const QUERY = {
  tenure: '1500',
  investment_amount: '10000',
  payout_frequency: 'Maturity',
  product_type: 'FD',
};
const quote = () => service.api.get('/api/v1/detail/maturity-amount/ARAVFIN', { query: QUERY });
const health = async (kind: 'live' | 'ready') =>
  (await request(service.app.getHttpServer()).get(`/health/${kind}`)).status;

async function expectService(): Promise<void> {
  const answers = await Promise.all([
    quote(),
    service.api.get('/api/v1/issuers'),
    service.api.get('/api/v1/compare', { query: { tenure: '730', amount: '10000' } }),
    service.anonymous.get('/api/v1/issuers'),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 401]);
  expect([await health('live'), await health('ready')]).toEqual([200, 200]);
}

/** Waits until a poll has failed, so that the service knows that the database is down. */
async function untilPollFailed(): Promise<void> {
  const failures = async () => {
    const { text } = await request(service.app.getHttpServer()).get('/metrics');
    return Number(/^catalogue_refresh_failures_total (\d+)/m.exec(text)?.[1] ?? 0);
  };
  const before = await failures();
  await eventually(async () => expect(await failures()).toBeGreaterThan(before));
}

it('closes cleanly while its stores are down', async () => {
  await start();
  postgres.freeze();
  redis.cut();
  await untilPollFailed();
  await expect(service.close()).resolves.toBeUndefined();
});

describe.each(['cut', 'freeze'] as const)('PostgreSQL down (%s)', (fault) => {
  it('serves from the last copy while PostgreSQL is down, and reloads changes afterwards', async () => {
    await start();
    await expectService();
    const before = (await quote()).body as object;

    postgres[fault]();
    await untilPollFailed();
    await expectService();
    expect((await quote()).body).toEqual(before);

    const issuers = (await shippedIssuers()).map((issuer) => ({ ...issuer, seniorBenefit: '0.99' }));
    await stores.importIssuers(issuers);
    await stores.withDatabase((source) => storeApiKey(source, 'late', 'a key created during the outage'));

    postgres.heal();
    const senior = { query: { ...QUERY, senior_citizen: 'true', explain: 'true' } };
    await eventually(async () => {
      const { body } = await service.api.get('/api/v1/detail/maturity-amount/ARAVFIN', senior);
      expect(body).toMatchObject({ rate_applied: { senior: '0.99' } });
    });
    const late = await service.anonymous.get('/api/v1/issuers', {
      headers: { apikey: 'a key created during the outage' },
    });
    expect(late.status).toBe(200);
  });
});

describe('PostgreSQL down at the start', () => {
  it.each(['cut', 'freeze'] as const)(
    '(%s) starts, reports not ready, and serves as soon as PostgreSQL answers',
    async (fault) => {
      postgres[fault]();
      await start();
      expect([await health('live'), await health('ready')]).toEqual([200, 503]);
      for (const path of ['/api/v1/issuers', '/detail/6f1c2a34-0b1e-4c55-9d2a-1f0a5a9e1001']) {
        const { status, body, headers } = await service.api.get(path);
        expect([status, body.error[0].errorCode]).toEqual([503, MasterErrors.unavailable.code]);
        expect(Number(headers['retry-after'])).toBeGreaterThan(0);
      }
      expect((await service.anonymous.get('/api/v1/issuers')).status).toBe(401);

      postgres.heal();
      await eventually(async () => expect(await health('ready')).toBe(200));
      await expectService();
    },
  );
});

describe.each(['cut', 'freeze'] as const)('Redis down (%s)', (fault) => {
  it('serves and applies the limit while Redis is down', async () => {
    service = await startApp({ ...throughProxies(), RATE_LIMIT_PER_MINUTE: '12' });
    redis[fault]();
    await expectService();
    const statuses = [];
    for (let call = 0; call < 12; call += 1) statuses.push((await quote()).status);
    expect(statuses).toContain(429);
    redis.heal();
  });
});

describe.each([
  ['is full', ['CONFIG', 'SET', 'maxmemory', 1], ['CONFIG', 'SET', 'maxmemory', 0]],
  ['is a replica', ['REPLICAOF', '127.0.0.1', 1], ['REPLICAOF', 'NO', 'ONE']],
] as const)('Redis %s and refuses writes', (_name, [begin, ...how], [end, ...back]) => {
  it('serves and applies its share of the limit until Redis accepts writes again', async () => {
    const own = await RedisServer.start();
    const settings = { REDIS_URL: own.url, RATE_LIMIT_PER_MINUTE: '1000', REPLICAS: '100' };
    // a caller without counted calls, in case Redis was slow for a moment
    const apikey = 'the key of another client';
    await stores.withDatabase((source) => storeApiKey(source, 'another-client', apikey));
    service = await startApp({ ...throughProxies(), ...settings });
    await expectService();
    await own.command(begin, ...how);
    const statuses = [];
    for (let call = 0; call < 11; call += 1)
      statuses.push((await service.anonymous.get('/api/v1/issuers', { headers: { apikey } })).status);
    expect(statuses).toEqual([...Array<number>(10).fill(200), 429]);
    await own.command(end, ...back);
    await eventually(async () => expect((await quote()).status).toBe(200));
    await own.stop();
  });
});
