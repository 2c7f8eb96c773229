import { GeneralErrors } from '@fd/errors';
import { REDIS, type RedisClient } from '@fd/platform';
import { expectRefusal, inParallel } from '@fd/testing';
import { Registry } from 'prom-client';
import { aPhone } from '../support/inbox.js';
import { as, logIn } from '../support/login.js';
import { startService, type TestService, type UsersApp } from '../support/users-app.js';

const LIMIT = 40;

describe('rate limit', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService({ RATE_LIMIT_PER_MINUTE: String(LIMIT) });
  });
  afterAll(() => service.close());

  it('returns the limit, the remaining calls and the reset time, by default for 3,000 calls a minute', async () => {
    const usual = await startService({});
    const { headers } = await usual.api.post('/auth/register', { phone: aPhone() });
    expect(headers['x-ratelimit-limit']).toBe('3000');
    expect(headers['x-ratelimit-remaining']).toBe('2999');
    expect(Number(headers['x-ratelimit-reset'])).toBeLessThanOrEqual(60);
    await usual.close();
  });

  it('counts the calls of each user separately', async () => {
    const [first, second] = [await logIn(service), await logIn(service)];
    for (let i = 0; i < 3; i++) await as(service.api, first).get('/api/v1/user-profile');
    const response = await as(service.api, second).get('/api/v1/user-profile');
    expect(response.headers['x-ratelimit-remaining']).toBe(String(LIMIT - 1));
  });

  it('counts calls before login by IP address and ignores forwarding headers without a trusted proxy', async () => {
    const spoof = ({ api }: UsersApp, i: number) => {
      const address = `203.0.113.${i}`;
      const headers = {
        'x-forwarded-for': `${address}, 198.51.100.${i}`,
        forwarded: `for=${address}`,
        'x-real-ip': address,
        'x-client-ip': address,
        'cf-connecting-ip': address,
        'true-client-ip': address,
      };
      return api.post('/auth/register', {}, { headers });
    };
    const strict = await service.replica({ REDIS_KEY_PREFIX: 'limits-a:' });
    const answers = await inParallel(100, (i) => spoof(strict, i));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 400)).toHaveLength(LIMIT);
    expect(statuses.filter((status) => status === 429)).toHaveLength(100 - LIMIT);
  });

  it('logs only the first call above the limit of a caller in a minute', async () => {
    const strict = await service.replica({ REDIS_KEY_PREFIX: 'limits-log:' });
    const { length } = strict.logs();
    await inParallel(LIMIT + 60, () => strict.api.post('/auth/register', {}));
    const refused = strict
      .logs()
      .slice(length)
      .matchAll(/"level":"(\w+)"[^\n]*"msg":"request","request_id":"([^"]+)"[^\n]*"status":429/g);
    const levels = new Map([...refused].map(([, level, id]) => [id, level]));
    expect(levels.size).toBe(60);
    expect([...levels.values()].filter((level) => level !== 'debug')).toEqual(['info']);
    const refusals = strict.app.get(Registry).getSingleMetric('refusals_total')!;
    const counted = (await refusals.get()).values.filter(
      ({ labels }) => labels['code'] === GeneralErrors.tooManyRequests.code,
    );
    expect(counted.map(({ value }) => value)).toEqual([60]);
  });

  describe.each([
    [1, ''],
    [2, ', 192.0.2.1'],
  ])('the rate limit behind %i trusted proxies', (hops, inner) => {
    let replica: UsersApp;
    beforeAll(async () => {
      replica = await service.replica({
        REDIS_KEY_PREFIX: `limits-${hops}:`,
        TRUSTED_PROXY_HOPS: String(hops),
      });
    });
    const remaining = async (forwarded: string) =>
      Number(
        (await replica.api.post('/auth/register', {}, { headers: { 'x-forwarded-for': forwarded + inner } }))
          .headers['x-ratelimit-remaining'],
      );

    it('counts by the address written by the outermost trusted proxy, read from the right', async () => {
      expect(await remaining('198.51.100.1')).toBe(LIMIT - 1);
      expect(await remaining('6.6.6.6, 198.51.100.1')).toBe(LIMIT - 2);
      expect(await remaining('7.7.7.7, 6.6.6.6, 198.51.100.1')).toBe(LIMIT - 3);
      expect(await remaining('198.51.100.1, 198.51.100.2')).toBe(LIMIT - 1);
    });

    it('counts all addresses of an IPv6 network together', async () => {
      expect(await remaining('2001:db8:1:2::1')).toBe(LIMIT - 1);
      expect(await remaining('2001:db8:1:2:ffff::2')).toBe(LIMIT - 2);
      expect(await remaining('2001:db8:1:3::1')).toBe(LIMIT - 1);
    });

    it('counts calls without a usable address together', async () => {
      const seen = [];
      for (const forwarded of ['unknown', '_hidden', '203.0.113.1:4711', '999.1.1.1', 'x'.repeat(2_000)])
        seen.push(await remaining(forwarded));
      expect(seen).toEqual(seen.map((_, i) => LIMIT - 1 - i));
    });
  });

  it('counts calls of unknown routes by IP address, and by user with a token', async () => {
    const replica = await service.replica({ REDIS_KEY_PREFIX: 'limits-c:' });
    const user = await logIn(service);
    const left = ({ headers }: { headers: Record<string, string> }) =>
      Number(headers['x-ratelimit-remaining']);
    const unknown = [
      await replica.api.get('/nothing'),
      await replica.api.get('/'),
      await replica.api.get('/auth/register'),
      await replica.api.raw('post', '/nothing', '{', 'application/json'),
      await replica.api.post('/nothing', {}, { headers: { 'idempotency-key': 'k' } }),
      await replica.api.delete('/auth/register/verify?x=1'),
    ];
    for (const response of unknown) expectRefusal(response, GeneralErrors.routeUnknown);
    expect(unknown.map(left)).toEqual(unknown.map((_, i) => LIMIT - 1 - i));
    expect(left(await as(replica.api, user).get('/nothing'))).toBe(LIMIT - 1);
    expect(left(await as(replica.api, user).get('/api/v1/user-profile'))).toBe(LIMIT - 2);
    for (let call = unknown.length; call < LIMIT; call++) await replica.api.get('/nothing');
    const over = await fetch(`${replica.url}/nothing`);
    expect(over.status).toBe(429);
    const { text } = await replica.api.get('/metrics');
    expect(text).toMatch(/route="unmatched",status="404"\} \d+/);
    expect(text).not.toContain('{*path}');
  });

  it('counts calls of the API documents and of undecodable paths', async () => {
    const replica = await service.replica({ REDIS_KEY_PREFIX: 'limits-d:' });
    const get = (path: string) => fetch(`${replica.url}${path}`, { redirect: 'manual' });
    const [script] = /\/docs\/init\.[\w-]+\.js/.exec(await (await get('/docs')).text())!;
    const paths = ['/openapi.json', '/docs', '/DOCS/', script, '/%E0%A4%A', '/docs/%E0%A4%A'];
    const answers = await paths.reduce<Promise<Response[]>>(
      async (before, path) => [...(await before), await get(path)],
      Promise.resolve([]),
    );
    expect(answers.map(({ headers }) => Number(headers.get('x-ratelimit-remaining')))).toEqual(
      // one was the call for the page
      paths.map((_, i) => LIMIT - 2 - i),
    );
    for (const { headers } of answers) expect(headers.get('x-ratelimit-limit')).toBe(String(LIMIT));
    for (let call = 1 + paths.length; call < LIMIT; call++) await get('/openapi.json');
    for (const path of paths) {
      const over = await get(path);
      expect([path, over.status]).toEqual([path, 429]);
      expect(Number(over.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      expect(await over.json()).toMatchObject({
        success: 0,
        error: [{ errorCode: GeneralErrors.tooManyRequests.code }],
      });
    }
    // all calls of an address share one budget
    expectRefusal(await replica.api.post('/auth/register', {}), GeneralErrors.tooManyRequests);
  });

  it('grants files of the API reference a twentieth of the calls of an address', async () => {
    const replica = await service.replica({ REDIS_KEY_PREFIX: 'limits-f:' });
    const get = (path: string) => fetch(`${replica.url}${path}`);
    const [script] = /\/docs\/reference\.[\w-]+\.js/.exec(await (await get('/docs')).text())!;
    const files = [script, `${script}?x=1`, script.replace('docs', 'DOCS'), script];
    const statuses: number[] = [];
    for (const path of files) statuses.push((await get(path)).status);
    expect(statuses).toEqual([200, 200, 429, 429]);
    const over = await get(script);
    expect(over.headers.get('x-ratelimit-remaining')).toBe(String(LIMIT - 6));
    expect(Number(over.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(await over.json()).toMatchObject({ error: [{ errorCode: GeneralErrors.tooManyRequests.code }] });
    for (const path of ['/docs', '/openapi.json']) expect((await get(path)).status).toBe(200);
  });

  it('logs one refusal of a caller a minute while Redis is down, too, and no preflight request', async () => {
    const replica = await service.replica({ REDIS_KEY_PREFIX: 'limits-e:' });
    jest
      .spyOn(replica.app.get<RedisClient>(REDIS), 'evalsha')
      .mockRejectedValue(new Error('Connection is closed.'));
    const { length } = replica.logs();
    const lines = (status: number) =>
      replica
        .logs()
        .slice(length)
        .split('\n')
        .filter((line) => line.includes(`"status":${status},`) && !line.includes('"level":"debug"')).length;
    const call = (method: string) => async () =>
      (await fetch(`${replica.url}/api/v1/user-profile`, { method })).status;
    const statuses: number[] = [];
    // below the number of calls at which replicas shed load
    while (statuses.length < 500) statuses.push(...(await inParallel(50, call('GET'))));
    expect(statuses.filter((status) => status === 429)).toHaveLength(500 - LIMIT);
    expect(await inParallel(50, call('OPTIONS'))).toEqual(Array<number>(50).fill(204));
    expect([lines(401), lines(429), lines(204)]).toEqual([LIMIT, 1, 0]);
  });

  it('does not count health probes and metrics', async () => {
    for (const path of ['/health/live', '/health/ready', '/metrics']) {
      const response = await service.api.get(path);
      expect(response.status).toBe(200);
      expect(response.headers['x-ratelimit-limit']).toBeUndefined();
    }
  });

  it('grants one user exactly the limit over two replicas, then returns 429 with Retry-After', async () => {
    const other = await service.replica();
    const user = await logIn(service);
    const profile = (i: number) => as(i % 2 ? other.api : service.api, user).get('/api/v1/user-profile');
    const responses = await inParallel(LIMIT + 15, profile);
    const accepted = responses.filter(({ status }) => status === 200);
    const refused = responses.filter(({ status }) => status !== 200);
    expect(accepted).toHaveLength(LIMIT);
    expect(
      accepted.map(({ headers }) => Number(headers['x-ratelimit-remaining'])).sort((a, b) => a - b),
    ).toEqual(Array.from({ length: LIMIT }, (_, i) => i));
    for (const response of refused) {
      expectRefusal(response, GeneralErrors.tooManyRequests);
      expect(response.headers).toMatchObject({
        'x-ratelimit-limit': String(LIMIT),
        'x-ratelimit-remaining': '0',
      });
      expect(Number(response.headers['retry-after'])).toBeGreaterThanOrEqual(1);
      expect(Number(response.headers['retry-after'])).toBeLessThanOrEqual(60);
    }
  });
});
