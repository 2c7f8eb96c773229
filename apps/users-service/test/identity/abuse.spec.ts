import { GeneralErrors, LoginErrors, PanErrors } from '@fd/errors';
import { REDIS, type RedisClient } from '@fd/platform';
import { expectRefusal, inParallel, recordEvidence } from '@fd/testing';
import { Registry } from 'prom-client';
import type { Response } from 'supertest';
import { guessOnceAtEach } from '../support/guessers.js';
import { aPhone, codeOf, inboxOf, wrongCode } from '../support/inbox.js';
import { as, logIn, verifyBody } from '../support/login.js';
import { panBody, postPan, verifyPan } from '../support/pan.js';
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
    expect(headers['x-ratelimit-reset']).toMatch(/^\d+$/);
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
    await inParallel(LIMIT - unknown.length, () => replica.api.get('/nothing'));
    const over = await fetch(`${replica.url}/nothing`);
    expect(over.status).toBe(429);
    const { text } = await replica.api.get('/metrics');
    expect(text).toMatch(/route="unmatched",status="404"\} \d+/);
    expect(text).not.toContain('{*path}');
  });

  it('counts calls of the API documents and of undecodable paths', async () => {
    const replica = await service.replica({ REDIS_KEY_PREFIX: 'limits-d:' });
    const get = (path: string) => fetch(`${replica.url}${path}`, { redirect: 'manual' });
    const paths = ['/openapi.json', '/docs', '/DOCS/', '/docs/init.js', '/%E0%A4%A', '/docs/%E0%A4%A'];
    const answers = await paths.reduce<Promise<Awaited<ReturnType<typeof get>>[]>>(
      async (before, path) => [...(await before), await get(path)],
      Promise.resolve([]),
    );
    expect(answers.map(({ headers }) => Number(headers.get('x-ratelimit-remaining')))).toEqual(
      paths.map((_, i) => LIMIT - 1 - i),
    );
    for (const { headers } of answers) expect(headers.get('x-ratelimit-limit')).toBe(String(LIMIT));
    await inParallel(LIMIT - paths.length, () => get('/openapi.json'));
    const { length } = replica.logs();
    for (const path of paths) {
      const over = await get(path);
      expect([path, over.status]).toEqual([path, 429]);
      expect(Number(over.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      expect(await over.json()).toMatchObject({
        success: 0,
        error: [{ errorCode: GeneralErrors.tooManyRequests.code }],
      });
    }
    const logged = replica.logs().slice(length).split('\n');
    expect(logged.filter((line) => /"level":"info".*"status":429,/.test(line))).toHaveLength(1);
    // all calls of an address share one budget
    expectRefusal(await replica.api.post('/auth/register', {}), GeneralErrors.tooManyRequests);
  });

  it('grants files of the API reference a twentieth of the calls of an address', async () => {
    const replica = await service.replica({ REDIS_KEY_PREFIX: 'limits-f:' });
    const get = (path: string) => fetch(`${replica.url}${path}`);
    const script = '/docs/reference.js';
    const files = [script, `${script}?x=1`, script.replace('docs', 'DOCS'), script];
    const statuses: number[] = [];
    for (const path of files) statuses.push((await get(path)).status);
    expect(statuses).toEqual([200, 200, 429, 429]);
    const over = await get(script);
    expect(over.headers.get('x-ratelimit-remaining')).toBe(String(LIMIT - 5));
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

const PREFIXES = ['9173001', '9173002', '9173003', '9173004'];
const PHONES_OF_EACH = 60;
const PER_PREFIX = 20;
const PER_HOUR = 50;

describe('one guess at the code of each of many phones, each from another IP address', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService({
      RATE_LIMIT_PER_MINUTE: '1000000',
      TRUSTED_PROXY_HOPS: '1',
      OTP_SENDS_PER_PREFIX_HOUR: String(PER_PREFIX),
      OTP_SENDS_PER_HOUR: String(PER_HOUR),
    });
  });
  afterAll(() => service.close());

  /** Counts refused sends in the metrics. */
  const suspended = async (by: string): Promise<number> => {
    const { text } = await service.api.get('/metrics');
    return Number(new RegExp(`^otp_sends_suspended_total\\{by="${by}"\\} (\\d+)`, 'm').exec(text)?.[1] ?? 0);
  };

  it('sends no more codes than the hourly limits of the prefixes and the service', async () => {
    const user = await logIn(service);
    const early = aPhone();
    expect((await service.api.post('/auth/register', { phone: early })).status).toBe(201);
    const phones = PREFIXES.flatMap((prefix) =>
      Array.from({ length: PHONES_OF_EACH }, (_, i) => `${prefix}1${String(i).padStart(4, '0')}`),
    );
    const { sent, suspended: refused, compared, right } = await guessOnceAtEach(phones, service);
    // the service had sent two codes before
    expect([sent, refused]).toEqual([PER_HOUR - 2, phones.length - PER_HOUR + 2]);
    // a guess without a code is not compared
    expect(compared + right).toBe(sent);
    expect(right).toBeLessThanOrEqual(1);
    for (const prefix of PREFIXES) {
      const inboxes = await Promise.all(phones.filter((phone) => phone.startsWith(prefix)).map(inboxOf));
      expect(inboxes.flat().length).toBeLessThanOrEqual(PER_PREFIX);
    }
    const [byPrefix, byService] = [await suspended('prefix'), await suspended('service')];
    expect(byPrefix).toBeGreaterThan(0);
    expect(byPrefix + byService).toBe(refused);
    // another phone gets no code; a phone with a code can log in, and logged-in users are served
    expectRefusal(await service.api.post('/auth/register', { phone: aPhone() }), LoginErrors.sendsSuspended);
    const verified = await service.api.post(
      '/auth/api/v2/register/verify',
      verifyBody(early, await codeOf(early)),
    );
    expect(verified.status).toBe(200);
    expect((await as(service.api, user).get('/api/v1/user-profile')).status).toBe(200);
    recordEvidence('otp-many-phones', {
      phones: phones.length,
      'codes sent': sent,
      'guesses compared': compared,
    });
  });
});

describe('requests for codes of many phones from one IPv6 site, each from another address', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService({
      RATE_LIMIT_PER_MINUTE: '1000000',
      TRUSTED_PROXY_HOPS: '1',
      OTP_SENDS_PER_HOUR: '600',
    });
  });
  afterAll(() => service.close());

  const send = (from: string) =>
    service.api.post('/auth/register', { phone: aPhone() }, { headers: { 'x-forwarded-for': from } });

  it("allows the site a fiftieth of the service's sends, and serves other sites", async () => {
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, i) => send(`2001:db8:7:${i.toString(16)}::1`)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([
      ...Array<number>(12).fill(201),
      ...Array<number>(18).fill(429),
    ]);
    expectRefusal(
      answers.find(({ status }) => status === 429)!,
      LoginErrors.sendsSuspended,
    );
    expect((await send('2001:db8:8::1')).status).toBe(201);
  });

  it("allows all sites of one provider a tenth of the service's sends", async () => {
    const answers = await Promise.all(
      Array.from({ length: 80 }, (_, i) => send(`2001:db9:${i.toString(16)}::1`)),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(60);
    expectRefusal(
      answers.find(({ status }) => status === 429)!,
      LoginErrors.sendsSuspended,
    );
    expect((await send('2001:dba::1')).status).toBe(201);
  });
});

describe('requests for codes of many phones with unverified codes', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService({
      RATE_LIMIT_PER_MINUTE: '1000000',
      TRUSTED_PROXY_HOPS: '1',
      OTP_SENDS_PER_HOUR: '2000',
    });
  });
  afterAll(() => service.close());
  afterEach(() => service.clock.reset());

  it('refuses sends of an address before those of its network', async () => {
    const send = (from: string) =>
      service.api.post('/auth/register', { phone: aPhone() }, { headers: { 'x-forwarded-for': from } });
    const answers = await Promise.all(Array.from({ length: 60 }, () => send('198.51.100.7')));
    expect(answers.map(({ status }) => status).sort()).toEqual([
      ...Array<number>(10).fill(201),
      ...Array<number>(50).fill(429),
    ]);
    expect((await send('198.51.100.8')).status).toBe(201);
  });

  it('does not count a verified code, however often it was sent', async () => {
    const headers = { 'x-forwarded-for': '198.51.100.70' };
    for (let i = 0; i < 12; i++) {
      const phone = aPhone();
      for (let send = 0; send < 2; send++)
        expect((await service.api.post('/auth/register', { phone }, { headers })).status).toBe(201);
      const verified = await service.api.post(
        '/auth/api/v2/register/verify',
        verifyBody(phone, await codeOf(phone)),
        { headers },
      );
      expect(verified.status).toBe(200);
    }
  });

  it('suspends a provider for five minutes, twice as long at each further suspension, and an hour at most', async () => {
    let site = 0;
    const send = () =>
      service.api.post(
        '/auth/register',
        { phone: aPhone() },
        { headers: { 'x-forwarded-for': `2001:dc0:${(site++).toString(16)}::1` } },
      );
    const lengths: number[] = [];
    for (let time = 0; time < 5; time++) {
      const limit = time === 0 ? 200 : 50;
      const answers: Response[] = [];
      const withStatus = (expected: number) => answers.filter(({ status }) => status === expected);
      while (withStatus(429).length === 0)
        answers.push(...(await Promise.all(Array.from({ length: 10 }, send))));
      for (const refused of withStatus(429)) expectRefusal(refused, LoginErrors.sendsSuspended);
      expect(withStatus(201)).toHaveLength(limit);
      // the first of these ten calls suspends, and the others get the rest of the time
      lengths.push(Math.max(...withStatus(429).map(({ headers }) => Number(headers['retry-after']))));
      service.clock.advanceSeconds(lengths.at(-1)!);
    }
    expect(lengths).toEqual([300, 600, 1200, 2400, 3600]);
  });
});

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

/** Returns all features by which a client could distinguish two answers: all but ids, times and call counts. */
function looksOf({ status, headers, body }: Response): object {
  const { 'x-request-id': _id, date: _date, ...others } = headers as Record<string, string>;
  const counted = Object.entries(others).map(([name, value]) => [
    name,
    name.startsWith('x-ratelimit') ? '' : value,
  ]);
  const envelope = { ...(body as { payload: object }) };
  return {
    status,
    headers: Object.fromEntries(counted),
    body: {
      ...envelope,
      payload: Object.fromEntries(
        Object.keys(envelope.payload).map((key) => [key, typeOf(envelope.payload, key)]),
      ),
    },
  };
}

const typeOf = (payload: object, key: string): string => typeof (payload as Record<string, unknown>)[key];

const aKnownPhone = async () => (await logIn(service)).phone;

describe('POST /auth/register', () => {
  it('gives the same answer to a code request for a known and for an unknown phone', async () => {
    const [known, unknown] = [await aKnownPhone(), aPhone()];
    const answers = await Promise.all(
      [known, unknown].map((phone) => service.api.post('/auth/register', { phone })),
    );
    expect(looksOf(answers[0]!)).toEqual(looksOf(answers[1]!));
    expect(answers[0]!.status).toBe(201);
  });
});

describe('POST /auth/api/v2/register/verify', () => {
  it.each(['before a code was sent', 'after a code was sent'])(
    'gives the same answer to a wrong code for a known and for an unknown phone %s',
    async (when) => {
      const phones = [await aKnownPhone(), aPhone()];
      const answers: Response[] = [];
      for (const phone of phones) {
        const isSent = when.startsWith('after');
        if (isSent) await service.api.post('/auth/register', { phone });
        const code = isSent ? wrongCode(await codeOf(phone)) : '123456';
        answers.push(await service.api.post('/auth/api/v2/register/verify', verifyBody(phone, code)));
      }
      expect(looksOf(answers[0]!)).toEqual(looksOf(answers[1]!));
      expect(answers[0]!.status).toBe(400);
    },
  );
});

describe('POST /api/v1/pan-verification', () => {
  it('refuses a PAN of another user without revealing or storing anything about that user', async () => {
    const { number, dob, full_name, father_name } = await verifyPan(as(service.api, await logIn(service)));
    const stranger = as(service.api, await logIn(service));
    const answer = await postPan(stranger, panBody(number, dob));
    expectRefusal(answer, PanErrors.belongsToAnotherUser);
    for (const value of [number, full_name, father_name, dob]) expect(answer.text).not.toContain(value);
    const { payload } = (await stranger.get('/api/v1/user-profile')).body as { payload: object };
    expect(payload).toMatchObject({ pan: null, full_name: null, dob: null, is_pan_verified: false });
  });
});
