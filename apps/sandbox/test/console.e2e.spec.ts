import { apiDocument } from '@fd/platform';
import { ApiClient, DocumentedAnswers } from '@fd/testing';
import request from 'supertest';
import { behaviourOf, MAGIC_VALUES } from '../src/magic/magic-values.table.js';
import { SANDBOX } from '../src/service.js';
import { anSms, type Sandbox, sendSms, startSandbox } from './support/sandbox.js';

describe('console', () => {
  let sandbox: Sandbox;
  let api: ApiClient;

  beforeAll(async () => {
    sandbox = await startSandbox();
    api = new ApiClient(sandbox.app, new DocumentedAnswers(apiDocument(sandbox.app, SANDBOX.api)));
  });
  afterAll(() => sandbox.app.close());

  const get = (path: string) => request(sandbox.baseUrl).get(path);

  /** What the page loads. */
  const resources = async (): Promise<string[]> => {
    const { text } = await get('/').expect(200);
    return [...text.matchAll(/(?:src|<link [^>]*href)="([^"]+)"/g)].map(([, url]) => url!);
  };

  it('brings everything it needs from here', async () => {
    const urls = await resources();
    expect(urls.map((url) => /\.(js|css|svg)$/.exec(url)?.[1]).sort()).toEqual(['css', 'css', 'js', 'svg']);
    for (const url of urls) {
      expect(url).toMatch(/^\/assets\//);
      await get(url).expect(200);
    }
  });

  it('runs no code but its own, lets no text become HTML, and calls the services alone', async () => {
    const { text: page, headers } = await get('/');
    const policy = headers['content-security-policy']!;
    for (const rule of [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "connect-src 'self' http://localhost:3001 http://localhost:3002",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
      "frame-ancestors 'none'",
    ])
      expect(policy.split('; ')).toContain(rule);
    expect(policy).not.toContain('unsafe');
    expect(page).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\son[a-z]+=|\sstyle=/);
  });

  it('is told where the services are, and with what they are called', async () => {
    const { status, body } = await api.get('/api/console');
    expect(status).toBe(200);
    expect(body).toEqual({
      users_base_url: 'http://localhost:3001',
      master_base_url: 'http://localhost:3002',
      api_key: 'sandbox-api-key',
      partner_url: 'https://app.partner.example',
      issuers: ['aravalli', 'kaveri', 'nilgiri', 'sahyadri', 'vindhya'],
    });
  });

  it.each([
    ['/assets/theme.css', 'text/css; charset=utf-8'],
    ['/assets/hosted-page.css', 'text/css; charset=utf-8'],
    ['/assets/icon.svg', 'image/svg+xml'],
  ])('serves %s', async (path, type) => {
    const { headers } = await get(path).expect(200);
    expect(headers['content-type']).toContain(type);
    expect(headers['x-content-type-options']).toBe('nosniff');
  });

  it.each([
    '/assets/index.html',
    '/assets/.hidden.js',
    '/assets/..%2findex.html',
    '/assets/..%2f..%2fmain.js',
    '/assets/constructor',
    '/assets/',
  ])('serves nothing else: %s', async (path) => {
    await get(path).expect(404);
  });

  it('makes somebody new of whom everything simply succeeds', async () => {
    const people = await Promise.all([api.get('/api/sample-person'), api.get('/api/sample-person')]);
    const [first, second] = people.map(({ body }) => body as { phone: string; pan: string });
    expect(first!.phone).not.toBe(second!.phone);
    expect(first!.pan).not.toBe(second!.pan);
  });

  it('tells as many of the newest effects as are asked for', async () => {
    for (const to of ['919000000001', '919000000002', '919000000003']) await sendSms(sandbox, anSms({ to }));
    const { body } = await api.get('/api/effects', { query: { limit: '2' } });
    const { effects } = body as { effects: { subject: string }[] };
    expect(effects.map(({ subject }) => subject)).toEqual(['919000000003', '919000000002']);
    for (const limit of ['0', '-1', '1.5', 'all']) await get(`/api/effects?limit=${limit}`).expect(400);
  });

  it('is alive and ready without any store', async () => {
    await get('/health/live').expect(200, { status: 'ok' });
    await get('/health/ready').expect(200, { status: 'ok', checks: {} });
  });
});

describe('magic values', () => {
  const played = MAGIC_VALUES.flatMap(({ plays, value, sample }) =>
    plays ? [{ ...plays, value, sample }] : [],
  );

  it('are told with what they do, and the input that they are values of', async () => {
    const sandbox = await startSandbox();
    const api = new ApiClient(sandbox.app, new DocumentedAnswers(apiDocument(sandbox.app, SANDBOX.api)));
    const { body } = await api.get('/api/magic-values');
    await sandbox.app.close();
    const told = (body as { magic_values: Record<string, unknown>[] }).magic_values;
    const described = MAGIC_VALUES.map(({ what, value, effect, sample }) => ({
      what,
      value,
      effect,
      sample,
    }));
    expect(told).toEqual(described.map((row) => expect.objectContaining(row)));
    expect(told[0]).toMatchObject({ input: 'phone', party: null });
    expect(told.find(({ sample }) => sample === 'ABCPR0404K')).toMatchObject({ input: 'pan', party: 'pan' });
  });

  it('lists every value of an input once', () => {
    const values = MAGIC_VALUES.map(({ what, value }) => `${what}: ${value}`);
    expect(new Set(values).size).toBe(values.length);
  });

  it.each(played)(
    'behaves as listed: $party, $input $value',
    ({ party, input, ending, behaviour, value, sample }) => {
      expect(ending).toBe(value);
      expect(behaviourOf(party, input, sample)).toBe(behaviour);
    },
  );

  it.each(played)('means one thing only: $input $sample', ({ input, sample }) => {
    const parties = new Set(played.map(({ party }) => party));
    const moved = [...parties].filter((party) => behaviourOf(party, input, sample) !== undefined);
    expect(moved).toHaveLength(1);
  });

  it.each([
    ['phone', '910503050300'],
    ['pan', 'ABCPR1234K'],
    ['account', '050305041234'],
    ['aadhaar', '204221230503'],
  ] as const)('lets everything else succeed: %s %s', (input, value) => {
    for (const { party } of played) expect(behaviourOf(party, input, value)).toBeUndefined();
  });
});
