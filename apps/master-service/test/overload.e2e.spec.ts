import { expectRefusal, TcpProxy, testRedis } from '@fd/testing';
import { startService, type TestService } from './support/master-app.js';

/** Less than a command of Redis may take, long enough for calls to meet. */
const SLOW_MS = 120;

let service: TestService;
let redis: TcpProxy;
beforeAll(async () => {
  redis = await TcpProxy.before(testRedis().url);
  service = await startService({
    REDIS_URL: redis.url,
    MAX_REQUESTS_IN_FLIGHT: '1',
    RATE_LIMIT_PER_MINUTE: '20',
  });
});
afterAll(async () => {
  await service.close();
  await redis.close();
});

it('refuses at once whoever is one too many, is healthy meanwhile, and serves on', async () => {
  redis.slowDown(SLOW_MS);
  const answers = await Promise.all(Array.from({ length: 6 }, () => service.api.get('/api/v1/issuers')));
  const health = await service.api.get('/health/ready');
  redis.heal();
  const refused = answers.filter(({ status }) => status === 503);
  expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(1);
  expect(refused.length).toBeGreaterThanOrEqual(1);
  for (const answer of refused) {
    expectRefusal(answer, 'SVCMAS2991');
    expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(1);
  }
  expect(health.status).toBe(200);
  const { text } = await service.api.get('/metrics');
  expect(text).toContain(`requests_shed_total{reason="in_flight"} ${refused.length}`);
  expect((await service.api.get('/api/v1/issuers')).status).toBe(200);
});

it('counts calls that do not exist like any other', async () => {
  const { anonymous } = service;
  const first = await anonymous.get('/nothing');
  expectRefusal(first, 'SVCMAS2901');
  const remaining = Number(first.headers['x-ratelimit-remaining']);
  for (let call = 0; call < remaining; call++) expect((await anonymous.get('/nothing')).status).toBe(404);
  const over = await anonymous.get('/api/v1/issuers');
  expect([over.status, over.body.error[0].errorCode]).toEqual([429, 'SVCMAS2003']);
  // a client with a key has a budget of its own
  expect((await service.api.get('/api/v1/issuers')).status).toBe(200);
});
