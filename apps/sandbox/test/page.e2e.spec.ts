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
    const script = (await get('/assets/page.js').expect(200)).text;
    expect(script).toContain("part('.text').textContent = text");
    expect(script).not.toMatch(
      /innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|createContextualFragment/,
    );
  });

  it.each([
    ['/assets/page.css', 'text/css; charset=utf-8'],
    ['/assets/page.js', 'text/javascript; charset=utf-8'],
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
    const page = fillPage('<table>{{magic_values}}</table>{{users}}', LINKS, [value]);
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
  it('has every value once', () => {
    expect(new Set(MAGIC_VALUES.map(({ value }) => value)).size).toBe(MAGIC_VALUES.length);
  });

  it.each(MAGIC_VALUES.map((row) => [row.value, row] as const))(
    'behaves as listed: %s',
    (_, { value, sample, plays }) => {
      if (plays) expect(plays.ending).toBe(value);
      expect(behaviourOf('phone', sample)).toBe(plays?.behaviour);
    },
  );
});
