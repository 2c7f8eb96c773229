import { expectRefusal } from '@fd/testing';
import { as, logIn } from './support/login.js';
import { startService, type TestService } from './support/users-app.js';

const LIMIT = 40;

describe('the rate limit', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService({ RATE_LIMIT_PER_MINUTE: String(LIMIT) });
  });
  afterAll(() => service.close());

  it('is shared by replicas and exact: one user gets the limit and no call more', async () => {
    const other = await service.replica();
    const user = await logIn(service);
    const responses = await Promise.all(
      Array.from({ length: LIMIT + 15 }, (_, i) =>
        as(i % 2 ? other.api : service.api, user).get('/api/v1/user-profile'),
      ),
    );
    const accepted = responses.filter(({ status }) => status === 200);
    const refused = responses.filter(({ status }) => status !== 200);
    expect(accepted).toHaveLength(LIMIT);
    expect(
      accepted.map(({ headers }) => Number(headers['x-ratelimit-remaining'])).sort((a, b) => a - b),
    ).toEqual(Array.from({ length: LIMIT }, (_, i) => i));
    for (const response of refused) {
      expectRefusal(response, 'SVCUSER1517');
      expect(response.headers).toMatchObject({
        'x-ratelimit-limit': String(LIMIT),
        'x-ratelimit-remaining': '0',
      });
      expect(Number(response.headers['retry-after'])).toBeGreaterThanOrEqual(1);
      expect(Number(response.headers['retry-after'])).toBeLessThanOrEqual(60);
    }
  });

  it('leaves other users alone', async () => {
    const [first, second] = [await logIn(service), await logIn(service)];
    for (let i = 0; i < 3; i++) await as(service.api, first).get('/api/v1/user-profile');
    const response = await as(service.api, second).get('/api/v1/user-profile');
    expect(response.headers['x-ratelimit-remaining']).toBe(String(LIMIT - 1));
  });

  it('counts addresses before login, and believes no header that no proxy of ours has written', async () => {
    const strict = await service.replica({ REDIS_KEY_PREFIX: 'limits-a:' });
    const spoof = (i: number) =>
      strict.api.post('/auth/register', {}, { headers: { 'x-forwarded-for': `203.0.113.${i}` } });
    const statuses: number[] = [];
    for (let i = 0; i < LIMIT + 5; i++) statuses.push((await spoof(i)).status);
    expect(statuses.filter((status) => status === 429)).toHaveLength(5);
  });

  it('takes the address that the configured proxies have written, from the right', async () => {
    const behindProxy = await service.replica({ REDIS_KEY_PREFIX: 'limits-b:', TRUSTED_PROXY_HOPS: '1' });
    const remaining = async (forwarded: string) =>
      (await behindProxy.api.post('/auth/register', {}, { headers: { 'x-forwarded-for': forwarded } }))
        .headers['x-ratelimit-remaining'];
    expect(await remaining('198.51.100.1')).toBe(String(LIMIT - 1));
    expect(await remaining('6.6.6.6, 198.51.100.1')).toBe(String(LIMIT - 2));
    expect(await remaining('198.51.100.1, 198.51.100.2')).toBe(String(LIMIT - 1));
  });

  it('does not count probes and metrics', async () => {
    for (const path of ['/health/live', '/health/ready', '/metrics']) {
      const response = await service.api.get(path);
      expect(response.status).toBe(200);
      expect(response.headers['x-ratelimit-limit']).toBeUndefined();
    }
  });
});
