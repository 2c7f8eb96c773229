import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request as httpsRequest } from 'node:https';
import { connect as connectPlain, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import type { ApiClient } from '@fd/testing';
import request from 'supertest';
import { BoundServer } from '../../src/http/bound-server.js';
import { visit } from '../support/hosted-page.js';
import { portsOf } from '../support/mail.js';
import { ask, look } from '../support/outside-call.js';
import { bootSandbox, documentedClient, type Sandbox, startSandbox } from '../support/sandbox.js';

describe('console', () => {
  const sandbox = bootSandbox();
  let api: ApiClient;

  beforeAll(() => {
    api = documentedClient(sandbox);
  });

  const get = (path: string) => request(sandbox.baseUrl).get(path);

  /** Assets of the page. */
  const resources = async (): Promise<string[]> => {
    const { text } = await get('/').expect(200);
    return [...text.matchAll(/(?:src|<link [^>]*href)="([^"]+)"/g)].map(([, url]) => url!);
  };

  it('loads only its own assets', async () => {
    const urls = await resources();
    expect(urls.map((url) => /\.(js|css|svg)$/.exec(url)?.[1]).sort()).toEqual(['css', 'css', 'js', 'svg']);
    for (const url of urls) {
      expect(url).toMatch(/^\/assets\//);
      await get(url).expect(200);
    }
  });

  it('has a policy against foreign code, HTML from text, and calls to other hosts', async () => {
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

  it('returns the addresses of the services and the credentials for them', async () => {
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
  ])('answers not found for %s', async (path) => {
    await get(path).expect(404);
  });

  it('returns a new sample person each time', async () => {
    const people = await Promise.all([api.get('/api/sample-person'), api.get('/api/sample-person')]);
    const [first, second] = people.map(({ body }) => body as { phone: string; pan: string });
    expect(first!.phone).not.toBe(second!.phone);
    expect(first!.pan).not.toBe(second!.pan);
  });

  it('reports live and ready without any store', async () => {
    await get('/health/live').expect(200, { status: 'ok' });
    await get('/health/ready').expect(200, { status: 'ok', checks: {} });
  });
});

const SCRIPT = 'window.x = 1;';
const SERVICES = { USERS_BASE_URL: 'http://localhost:4001', MASTER_BASE_URL: 'https://master.example' };
const folder = mkdtempSync(join(tmpdir(), 'fd-guide-'));
let sandbox: Sandbox;

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
  beforeAll(async () => {
    sandbox = await startSandbox({ settings: { GUIDE_FOLDER: join(folder, 'dist'), ...SERVICES } });
  });
  afterAll(async () => {
    await sandbox.app.close();
    rmSync(folder, { recursive: true, force: true });
  });

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

describe('where the sandbox listens', () => {
  const sandbox = bootSandbox();

  it('reports its ports, all different', async () => {
    const api = documentedClient(sandbox);
    const { body } = await api.get('/api/ports');
    expect(`http://127.0.0.1:${body.http}`).toBe(sandbox.baseUrl);
    expect(new Set([body.http, body.https, body.smtp]).size).toBe(3);
  });

  it('serves the same pages over https', async () => {
    const { https } = await portsOf(sandbox);
    const { text } = await visit(`https://127.0.0.1:${https}/`).expect(200);
    expect(text).toContain('<title>Sandbox');
  });

  it.each(['localhost', '127.0.0.1'])('has a certificate for %s', async (host) => {
    const { https } = await portsOf(sandbox);
    const servername = host === 'localhost' ? { servername: host } : {};
    const first = connectTls({ port: https, host: '127.0.0.1', ...servername, rejectUnauthorized: false });
    await once(first, 'secureConnect');
    const { raw } = first.getPeerCertificate();
    first.destroy();
    const ca = `-----BEGIN CERTIFICATE-----\n${raw.toString('base64')}\n-----END CERTIFICATE-----\n`;
    // a client that trusts the certificate accepts it
    const call = httpsRequest({ port: https, host, family: 4, path: '/health/live', ca, agent: false });
    const response = once(call, 'response');
    call.end();
    const [{ statusCode }] = await response;
    expect(statusCode).toBe(200);
  });

  it('closes with idle connections, before and after a request', async () => {
    const ending = await startSandbox();
    const { https, smtp } = await portsOf(ending);
    const quiet = [connectPlain(https, '127.0.0.1'), connectPlain(smtp, '127.0.0.1')];
    const kept = connectTls({ port: https, host: '127.0.0.1', rejectUnauthorized: false });
    await Promise.all([...quiet.map((socket) => once(socket, 'connect')), once(kept, 'secureConnect')]);
    kept.write('GET /health/live HTTP/1.1\r\nhost: localhost\r\n\r\n');
    await once(kept, 'data');
    const cut = [...quiet, kept].map(
      (socket) => new Promise((resolve) => socket.on('error', () => undefined).once('close', resolve)),
    );
    await ending.app.close();
    await Promise.all(cut);
    const [error] = await once(connectPlain(https, '127.0.0.1'), 'error');
    expect(error).toMatchObject({ code: 'ECONNREFUSED' });
  });
});

describe('a further server', () => {
  it('reports a taken port, and still closes', async () => {
    const first = new BoundServer(createServer());
    await first.listen(0, '127.0.0.1');
    const second = new BoundServer(createServer());
    await expect(second.listen(first.port, '127.0.0.1')).rejects.toMatchObject({ code: 'EADDRINUSE' });
    await second.close();
    await first.close();
  });
});

const MOST = 400 * 86_400;

describe('clock of the sandbox', () => {
  const folder = mkdtempSync(join(tmpdir(), 'fd-clock-'));
  const file = join(folder, 'clock.json');
  let sandbox: Sandbox;
  let api: ApiClient;

  const start = async () => {
    sandbox = await startSandbox({ settings: { CLOCK_FILE: file } });
    api = documentedClient(sandbox);
  };
  beforeEach(start);
  afterEach(async () => {
    await sandbox.app.close();
    rmSync(file, { force: true });
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const advance = (advance_seconds: unknown) => api.post('/api/clock', { advance_seconds });
  /** For refusals, which the document of the sandbox does not list. */
  const refused = (advance_seconds: unknown) =>
    request(sandbox.baseUrl).post('/api/clock').send({ advance_seconds });
  const read = async () => (await api.get('/api/clock')).body;

  it('begins at the real time and moves forwards by the given seconds', async () => {
    expect(await read()).toEqual({ ahead_seconds: 0, most_ahead_seconds: MOST, followers: 0 });
    expect(await advance(600)).toMatchObject({ status: 200, body: { ahead_seconds: 600 } });
    expect((await advance(1_800)).body).toEqual({
      ahead_seconds: 2_400,
      most_ahead_seconds: MOST,
      followers: 0,
    });
    expect(await read()).toMatchObject({ ahead_seconds: 2_400 });
  });

  it.each([
    ['back', -1],
    ['by nothing', 0],
    ['by a part of a second', 1.5],
    ['by a text', '600'],
    ['by nothing given', undefined],
    ['by more than it can be ahead', MOST + 1],
    ['by more than a number', 1e300],
  ])('refuses to move %s', async (_name, seconds) => {
    await refused(seconds).expect(400);
    expect(await read()).toMatchObject({ ahead_seconds: 0 });
  });

  it('returns 409 when it would be more than 400 days ahead in all', async () => {
    await advance(MOST);
    const { text } = await refused(1).expect(409);
    expect(text).toContain(`${MOST} s ahead`);
    expect(await read()).toMatchObject({ ahead_seconds: MOST });
  });

  it('lets an eKYC link expire at the provider', async () => {
    const requests = '/providers/ekyc/requests';
    const body = { issuer_code: 'kaveri', method: 'HOSTED', redirect_url: null, expected: null };
    await ask(sandbox, requests, { reference: 'clock-1', ...body }).expect(201);
    const state = async () => (await look(sandbox, `${requests}/clock-1`).expect(200)).body.state;
    await advance(1_790);
    expect(await state()).toBe('created');
    await advance(20);
    expect(await state()).toBe('expired');
  });

  it('keeps its offset over a restart', async () => {
    await advance(691_200);
    await sandbox.app.close();
    await start();
    expect(await read()).toMatchObject({ ahead_seconds: 691_200 });
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ ahead_seconds: 691_200 });
  });

  it('does not move when its offset cannot be kept', async () => {
    rmSync(folder, { recursive: true });
    try {
      expect((await request(sandbox.baseUrl).post('/api/clock').send({ advance_seconds: 60 })).status).toBe(
        500,
      );
      expect(await read()).toMatchObject({ ahead_seconds: 0 });
    } finally {
      mkdirSync(folder);
    }
  });

  it.each(['', '{}', '{"ahead_seconds":-1}', '{"ahead_seconds":34560001}'])(
    'refuses to start with the file %j',
    async (text) => {
      writeFileSync(file, text);
      await expect(startSandbox({ settings: { CLOCK_FILE: file } })).rejects.toThrow(
        /CLOCK_FILE: .*clock.json/,
      );
    },
  );

  it('answers a move once its followers know it, and drops silent followers', async () => {
    const follow = () => api.get('/api/clock?follower=a-replica');
    expect((await follow()).body).toMatchObject({ followers: 1 });
    const moved = advance(600).then(({ body }) => body);
    const first = await Promise.race([moved, new Promise((resolve) => setTimeout(resolve, 200, 'waits'))]);
    expect(first).toBe('waits');
    expect((await follow()).body).toMatchObject({ ahead_seconds: 600 });
    expect(await moved).toMatchObject({ ahead_seconds: 600, followers: 1 });
    // no follower polls any more
    expect((await advance(60)).body).toMatchObject({ ahead_seconds: 660, followers: 0 });
  });
});
