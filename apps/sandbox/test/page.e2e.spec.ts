import request from 'supertest';
import { behaviourOf, MAGIC_VALUES } from '../src/magic/magic-values.table.js';
import { fillPage } from '../src/page/page.js';
import { type Sandbox, startSandbox } from './support/sandbox.js';

const LINKS = { sandbox: 'http://sandbox.test', users: 'http://users.test', master: 'http://master.test' };

describe('page', () => {
  let sandbox: Sandbox;

  beforeAll(async () => {
    sandbox = await startSandbox();
  });
  afterAll(() => sandbox.app.close());

  const get = (path: string) => request(sandbox.baseUrl).get(path);

  it('shows every magic value with what it does', async () => {
    const { text, headers } = await get('/').expect(200);
    expect(headers['content-type']).toMatch(/^text\/html; charset=utf-8/);
    for (const { what, value, effect, sample } of MAGIC_VALUES) {
      for (const part of [what, value, effect, sample]) expect(text).toContain(part);
    }
  });

  it('links to the documents of both services and leaves no place of the template open', async () => {
    const { text } = await get('/');
    expect(text).toContain('href="http://localhost:3001/docs"');
    expect(text).toContain('href="http://localhost:3002/docs"');
    expect(text).not.toContain('{{');
  });

  it('brings everything it needs from here', async () => {
    const { text } = await get('/');
    const resources = [...text.matchAll(/(?:src|<link [^>]*href)="([^"]+)"/g)].map(([, url]) => url!);
    expect(resources.length).toBeGreaterThanOrEqual(3);
    for (const url of resources) {
      expect(url).toMatch(/^\/assets\//);
      await get(url).expect(200);
    }
  });

  it('runs no code but its own, and lets no text become HTML', async () => {
    const { text: page, headers } = await get('/');
    const policy = headers['content-security-policy'];
    for (const rule of ["default-src 'none'", "script-src 'self'", "require-trusted-types-for 'script'"]) {
      expect(policy).toContain(rule);
    }
    expect(policy).not.toContain('unsafe');
    expect(page).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\son[a-z]+=|\sstyle=/);
    const scripts = [...page.matchAll(/<script src="([^"]+)"/g)].map(([, path]) => path!);
    expect(scripts).toContain('/assets/page.js');
    for (const path of scripts) {
      const script = (await get(path).expect(200)).text;
      expect(script).toContain('.textContent = ');
      expect(script).not.toMatch(
        /innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|createContextualFragment/,
      );
    }
  });

  it.each([
    ['/assets/page.css', 'text/css; charset=utf-8'],
    ['/assets/page.js', 'text/javascript; charset=utf-8'],
    ['/assets/waiting.js', 'text/javascript; charset=utf-8'],
    ['/assets/hosted-page.css', 'text/css; charset=utf-8'],
    ['/assets/icon.svg', 'image/svg+xml'],
  ])('serves %s', async (path, type) => {
    const { headers } = await get(path).expect(200);
    expect(headers['content-type']).toContain(type.split(';')[0]);
    expect(headers['x-content-type-options']).toBe('nosniff');
  });

  it.each(['/assets/index.html', '/assets/..%2f..%2fpackage.json', '/assets/constructor', '/assets/'])(
    'serves nothing else: %s',
    async (path) => {
      await get(path).expect(404);
    },
  );

  it('is alive and ready without any store', async () => {
    await get('/health/live').expect(200, { status: 'ok' });
    await get('/health/ready').expect(200, { status: 'ok', checks: {} });
  });
});

describe('filling the page', () => {
  it('writes values as text', () => {
    const value = { what: '<b>"A" & \'B\'</b>', value: '$&', effect: '<script>', sample: '1' };
    const page = fillPage('<div>{{magic_values}}</div>{{users}}', LINKS, [value]);
    expect(page).toContain('&lt;b&gt;&quot;A&quot; &amp; &#39;B&#39;&lt;/b&gt;');
    expect(page).toContain('<code>$&amp;</code>');
    expect(page).not.toContain('<script>');
    expect(page.endsWith('http://users.test')).toBe(true);
  });

  it('refuses a place that nothing belongs into', () => {
    expect(() => fillPage('{{nothing}}', LINKS, [])).toThrow('nothing');
  });
});

describe('magic values', () => {
  const played = MAGIC_VALUES.flatMap(({ plays, value, sample }) =>
    plays ? [{ ...plays, value, sample }] : [],
  );

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
