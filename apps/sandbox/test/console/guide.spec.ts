import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import request from 'supertest';
import { type Sandbox, startSandbox } from '../support/sandbox.js';

const SCRIPT = 'window.x = 1;';
const SERVICES = { USERS_BASE_URL: 'http://localhost:4001', MASTER_BASE_URL: 'https://master.example' };
const folder = mkdtempSync(join(tmpdir(), 'fd-guide-'));
let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ settings: { GUIDE_FOLDER: join(folder, 'dist'), ...SERVICES } });
});
afterAll(async () => {
  await sandbox.app.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A file of each kind that the build writes beside its pages. */
const OF_EACH_KIND = [
  'assets/chunks/@localSearchIndexroot.BV7pJn-D.js',
  'assets/chunks/VPLocalSearchBox.DcnTqVUq.js',
  'assets/api_users_pan-verification.md.Cwc3_Zk2.lean.js',
  'assets/style.DQJ9JF44.css',
  'assets/inter-roman-latin-ext.4ZJIpNVo.woff2',
  'hashmap.json',
  'vp-icons.css',
];

const get = (path: string) => fetch(`${sandbox.baseUrl}${path}`, { redirect: 'manual' });

function build(): void {
  mkdirSync(join(folder, 'dist/errors'), { recursive: true });
  mkdirSync(join(folder, 'dist/assets/chunks'), { recursive: true });
  writeFileSync(join(folder, 'secret.html'), 'not of the site');
  writeFileSync(join(folder, 'dist/.inputs'), 'not of the site');
  writeFileSync(join(folder, 'dist/index.html'), `<script>${SCRIPT}</script><script src="/a.js"></script>`);
  writeFileSync(join(folder, 'dist/404.html'), 'no such page');
  writeFileSync(join(folder, 'dist/errors/SVC1.html'), 'about a code');
  writeFileSync(join(folder, 'dist/assets/app.abc.js'), 'export {}');
  for (const file of OF_EACH_KIND) writeFileSync(join(folder, 'dist', file), file);
}

describe('the guide', () => {
  it('shows a page that loads itself again until it is built', async () => {
    const answer = await get('/guide/');
    expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([
      503,
      'text/html; charset=utf-8',
      expect.stringMatching(/http-equiv="refresh"[^]*npm start.*npm run guide/),
    ]);
  });

  it('serves pages without an extension, immutable assets, and its own 404 page', async () => {
    build();
    const page = await get('/guide/errors/SVC1');
    expect([page.status, await page.text(), page.headers.get('cache-control')]).toEqual([
      200,
      'about a code',
      'no-cache',
    ]);
    const asset = await get('/guide/assets/app.abc.js');
    expect([asset.status, asset.headers.get('content-type'), asset.headers.get('cache-control')]).toEqual([
      200,
      'text/javascript; charset=utf-8',
      'public, max-age=31536000, immutable',
    ]);
    const missing = await get('/guide/errors/SVC2');
    expect([missing.status, await missing.text()]).toEqual([404, 'no such page']);
    const start = await get('/guide');
    expect([start.status, start.headers.get('location')]).toEqual([308, '/guide/']);
  });

  it.each(OF_EACH_KIND)('serves the file %s', async (file) => {
    const answer = await get(`/guide/${file}`);
    expect([answer.status, await answer.text()]).toEqual([200, file]);
  });

  it.each(['errors/SVC2', 'assets/errors_SVC2.js'])(
    'names the addresses of this product and lets no browser keep them: %s',
    async (file) => {
      writeFileSync(
        join(folder, 'dist', file.endsWith('.js') ? file : `${file}.html`),
        [3001, 3002, 3003, 30_031].map((port) => `http://localhost:${port}/a`).join(' '),
      );
      const answer = await get(`/guide/${file}`);
      expect([await answer.text(), answer.headers.get('cache-control')]).toEqual([
        `http://localhost:4001/a https://master.example/a ${sandbox.baseUrl}/a http://localhost:30031/a`,
        'no-cache',
      ]);
    },
  );

  it('names its usual address where the header Host has signs of HTML', async () => {
    const { text } = await request(sandbox.baseUrl).get('/guide/errors/SVC2').set('host', 'a"><b>');
    expect(text).toMatch(/^http:\/\/localhost:4001\/a \S+ http:\/\/localhost:3003\/a /);
  });

  it("allows only the build's scripts to run", async () => {
    const { headers } = await get('/guide/');
    const hash = createHash('sha256').update(SCRIPT).digest('base64');
    expect(headers.get('content-security-policy')).toContain(`script-src 'self' 'sha256-${hash}';`);
  });

  it.each(['/guide/../secret', '/guide/%2e%2e/secret', '/guide/..%2fsecret', '/guide/.inputs'])(
    'serves nothing outside of the site: %s',
    async (path) => {
      expect((await get(path)).status).toBe(404);
    },
  );
});
