import { MasterErrors } from '@fd/errors';
import { expectRefusal, TcpProxy, testRedis, inParallel } from '@fd/testing';
import type { Response } from 'supertest';
import { startService, type TestService } from '../test/support/master-app.js';

/** Shorter than the timeout of Redis, long enough for calls to overlap. */
const SLOW_MS = 120;
const LIMIT = 20;

let service: TestService;
let redis: TcpProxy;
beforeAll(async () => {
  redis = await TcpProxy.before(testRedis().url);
  service = await startService({
    REDIS_URL: redis.url,
    MAX_REQUESTS_IN_FLIGHT: '1',
    RATE_LIMIT_PER_MINUTE: String(LIMIT),
    TRUSTED_PROXY_HOPS: '1',
  });
});
afterAll(async () => {
  await service.close();
  await redis.close();
});

it('refuses excess calls at once, remains healthy and continues to serve', async () => {
  redis.slowDown(SLOW_MS);
  const answers = await inParallel(6, () => service.api.get('/api/v1/issuers'));
  const health = await service.api.get('/health/ready');
  redis.heal();
  const refused = answers.filter(({ status }) => status === 503);
  expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(1);
  expect(refused.length).toBeGreaterThanOrEqual(1);
  for (const answer of refused) {
    expectRefusal(answer, MasterErrors.unavailable);
    expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(1);
  }
  expect(health.status).toBe(200);
  const { text } = await service.api.get('/metrics');
  expect(text).toContain(`requests_shed_total{reason="in_flight"} ${refused.length}`);
  expect((await service.api.get('/api/v1/issuers')).status).toBe(200);
});

it('counts unknown calls like any other', async () => {
  const headers = { 'x-forwarded-for': '198.51.100.1' };
  const caller = service.anonymous.with({ headers });
  const answers: Response[] = [];
  while (answers.length < LIMIT) answers.push(await caller.get('/nothing'));
  answers.push(await caller.get('/api/v1/issuers'));

  for (const answer of answers.slice(0, LIMIT)) expectRefusal(answer, MasterErrors.routeUnknown);
  expectRefusal(answers[LIMIT]!, MasterErrors.tooManyRequests);
  // a client with a key has its own budget
  expect((await service.api.get('/api/v1/issuers')).status).toBe(200);
});
