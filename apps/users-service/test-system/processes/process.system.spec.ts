import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateKeyPairSync } from 'node:crypto';
import type { Environment } from '@fd/platform';
import { createTestDatabase, eventually, GENEROUS_LIMITS, repeatUntilServed } from '@fd/testing';
import { aPhone, codeOf } from '../../test/support/inbox.js';
import { verifyBody } from '../../test/support/login.js';
import { WHO } from '../../test/support/operator.js';
import { BEHAVIOURS, ScriptedProvider } from '../../test/support/scripted-provider.js';
import { ServiceProcesses } from '../../test/support/service-process.config.js';
import { startService, type TestService } from '../../test/support/users-app.js';

/** Secret values in the settings: keys, secrets, and the private half of signing keys. */
function secretsOf(environment: Environment): string[] {
  const secrets = Object.entries(environment)
    .filter(([name]) => /SECRET|API_KEY|PII_KEYS/.test(name))
    .flatMap(([, value]) => value!.split(/[,:]/))
    .filter((value) => value.length >= 7);
  const { keys } = JSON.parse(environment['JWT_KEYS']!) as { keys: { d: string }[] };
  return [...secrets, ...keys.map(({ d }) => d)];
}

/** The built service, as a container runs it. */
describe('process', () => {
  let service: TestService;
  let processes: ServiceProcesses;
  beforeAll(async () => {
    service = await startService();
    processes = new ServiceProcesses(service.environment);
  });
  afterAll(async () => {
    await processes.killAll();
    await service.close();
  });

  const post = (url: string, body: object) =>
    fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });

  const cli = (...args: string[]) => processes.cli(...args);

  it('serves a login, and logs JSON lines without phone, code or token', async () => {
    const { url, log, child, errors } = await processes.start({ ...GENEROUS_LIMITS, LOG_LEVEL: 'trace' });
    const phone = aPhone();
    expect((await post(`${url}/auth/register`, { phone })).status).toBe(201);
    const code = await codeOf(phone);
    const response = await post(`${url}/auth/api/v2/register/verify`, verifyBody(phone, code));
    const { payload } = (await response.json()) as {
      payload: { access_token: string; refresh_token: string };
    };
    expect(response.status).toBe(200);
    const lines = log()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines).toContainEqual(
      expect.objectContaining({
        msg: 'request',
        method: 'POST',
        route: '/auth/register',
        status: 201,
        level: 'info',
        request_id: expect.any(String) as string,
      }),
    );
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
    const secrets = [phone, code, payload.access_token, payload.refresh_token];
    for (const secret of [...secrets, ...secretsOf(service.environment)])
      expect(log() + errors()).not.toContain(secret);
  });

  it('finishes running calls on SIGTERM and refuses no call meanwhile', async () => {
    const provider = await ScriptedProvider.start();
    provider.behaviour = (response) => setTimeout(() => BEHAVIOURS.accepts(response), 400);
    const { url, child } = await processes.start({
      ...GENEROUS_LIMITS,
      SMS_PRIMARY_URL: provider.url,
      SHUTDOWN_DELAY_SECONDS: '10',
    });
    const phone = aPhone();
    const inFlight = post(`${url}/auth/register`, { phone });
    await eventually(() => expect(provider.callsTo(phone)).toHaveLength(1));
    child.kill('SIGTERM');
    await eventually(async () => expect((await fetch(`${url}/health/ready`)).status).toBe(503));
    const late = await post(`${url}/auth/register`, { phone: aPhone() });
    expect([late.status, late.headers.get('connection')]).toEqual([201, 'close']);
    expect((await inFlight).status).toBe(201);
    expect(await once(child, 'exit')).toEqual([0, null]);
    await provider.stop();
  });

  it('refuses to start with invalid settings; the error names all of them and no value', () => {
    const { status, stderr } = processes.main({
      NODE_ENV: 'production',
      OTP_SECRET: 'too-short',
      OTP_TEST_RULES: '91\\d{10}=code:123456',
    });
    expect(status).toBe(1);
    for (const name of ['DATABASE_URL', 'REDIS_URL', 'JWT_KEYS', 'PII_KEYS', 'OTP_SECRET', 'OTP_TEST_RULES'])
      expect(stderr).toContain(name);
    expect(stderr).not.toMatch(/too-short|123456|\n {4}at /);
  });

  it('migrates once when four processes migrate at the same time', async () => {
    const fresh = await createTestDatabase();
    const runs = await Promise.all(
      Array.from({ length: 4 }, () => processes.spawnCli({ MIGRATIONS_DATABASE_URL: fresh.url }, 'migrate')),
    );
    expect(runs.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    expect(runs.filter(({ out }) => out.startsWith('applied'))).toHaveLength(1);
    await fresh.drop();
  });

  it('re-encrypts personal data with pii:rotate', () => {
    const { status, stdout } = cli('pii:rotate', ...WHO);
    expect([status, stdout]).toEqual([
      0,
      expect.stringMatching(/users\.phone\t\d+ rewritten\n(.*\n)*everything .* key k1\n$/),
    ]);
    expect(cli('pii:rotate').stderr).toContain('--by must be');
  });

  describe('partners command', () => {
    const folder = mkdtempSync(join(tmpdir(), 'partners-'));
    afterAll(() => rmSync(folder, { recursive: true }));
    const keyFile = join(folder, 'key.jwk.json');
    writeFileSync(
      keyFile,
      JSON.stringify(generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' })),
    );
    const url = 'https://new.partner.example';
    const create = (...more: string[]) =>
      cli(
        'partners',
        'create',
        '--name',
        'New',
        '--url',
        `${url}/`,
        '--public-key',
        keyFile,
        ...WHO,
        ...more,
      );

    it('registers a partner once', async () => {
      expect(create('--redirect-origin', 'https://back.example').stdout).toBe(`registered ${url}\n`);
      expect(create().status).toBe(1);
      expect(create().stderr).toContain('is registered already');
      expect(create('--if-missing').status).toBe(0);
      const rows: unknown[] = await service.dataSource.query(
        'SELECT id FROM onboarding.partners WHERE url = $1',
        [url],
      );
      expect(rows).toHaveLength(1);
    });

    it('refuses a key of the examples in production, by each command that takes one', async () => {
      const example = join(import.meta.dirname, '../../../../docker/example-partner.jwk.json');
      const production = { NODE_ENV: 'production', PRIVATE_NETWORK: 'true' };
      const given = ['--url', 'https://example.partner.example', '--public-key', example];
      for (const args of [
        ['create', '--name', 'Example', ...given],
        ['add-key', ...given],
        ['enable', ...given, ...WHO],
      ]) {
        const { code, err } = await processes.spawnCli(production, 'partners', ...args, ...WHO);
        expect([code, err]).toEqual([1, expect.stringContaining('a published example')]);
      }
    });

    it('lists and disables partners', async () => {
      expect(cli('partners', 'list').stdout).toMatch(
        /https:\/\/new\.partner\.example\tNew\tEC [\w-]{43}\thttps:\/\/back\.example\tactive/,
      );
      expect(cli('partners', 'disable', '--url', url, ...WHO).status).toBe(0);
      expect(cli('partners', 'list').stdout).toMatch(/new\.partner\.example.*disabled/);
      const response = await repeatUntilServed(() =>
        service.api.post('/auth/api/v2/register/verify', verifyBody('919812345678', '123456', url)),
      );
      expect(response.status).toBe(400);
      expect(cli('partners', 'enable', '--url', url, '--public-key', keyFile, ...WHO).stdout).toContain(
        'with the new key',
      );
      expect(cli('partners', 'list').stdout).toMatch(/new\.partner\.example.*active/);
    });

    const anotherKey = (kid?: string) => {
      const file = join(folder, `${kid ?? 'unnamed'}.jwk.json`);
      const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      writeFileSync(
        file,
        JSON.stringify({ ...publicKey.export({ format: 'jwk' }), ...(kid ? { kid } : {}) }),
      );
      return file;
    };
    const addKey = (file: string) => cli('partners', 'add-key', '--url', url, '--public-key', file, ...WHO);
    // a thumbprint may begin with a hyphen
    const removeKey = (id: string) => cli('partners', 'remove-key', '--url', url, `--key-id=${id}`, ...WHO);
    const listed = () => /new\.partner\.example\tNew\t([^\t]*)/.exec(cli('partners', 'list').stdout)?.[1];

    it('adds a second key to a partner and removes either, but never the last', () => {
      const [before] = /[\w-]{43}/.exec(listed()!)!;
      expect(removeKey(before).stderr).toContain('has one key only');
      expect(addKey(keyFile).stderr).toContain('the new key needs a different id');
      expect(addKey(anotherKey('next')).stdout).toContain('encrypted to the key next from now on');
      expect(listed()).toBe(`EC next, formerly EC ${before}`);
      expect(addKey(anotherKey()).stderr).toContain('has two keys already');
      expect(removeKey('other').stderr).toContain(`--key-id must be next or ${before}`);
      // back to the first key
      expect(removeKey('next').stdout).toContain(`encrypted to the key ${before}`);
      expect(listed()).toBe(`EC ${before}`);
      // replaces the key permanently; a key without an id is named by its thumbprint
      const added = /key ([\w-]{43}) from/.exec(addKey(anotherKey()).stdout)![1]!;
      expect(removeKey(before).status).toBe(0);
      expect(listed()).toBe(`EC ${added}`);
    });

    it.each([
      ['no name', ['create', '--url', 'https://x.example', '--public-key', keyFile, ...WHO], /--name/],
      ['an invalid URL', ['create', '--name', 'X', '--url', 'x', '--public-key', keyFile, ...WHO], /--url/],
      [
        'an origin with a path',
        [
          'create',
          '--name',
          'X',
          '--url',
          'https://x.example',
          '--public-key',
          keyFile,
          '--redirect-origin',
          'https://x.example/a',
          ...WHO,
        ],
        /--redirect-origin/,
      ],
      [
        'an invalid key',
        ['create', '--name', 'X', '--url', 'https://x.example', '--public-key', '/nowhere', ...WHO],
        /public JWK/,
      ],
      ['an unknown option', ['create', '--colour', 'red'], /colour/],
      ['an unknown action', ['drop'], /partners: list, create, disable, enable, add-key, remove-key/],
      [
        'a new key of an unknown partner',
        ['add-key', '--url', 'https://nobody.example', '--public-key', keyFile, ...WHO],
        /not registered/,
      ],
      ['no new key', ['add-key', '--url', url, ...WHO], /--public-key/],
      ['an unknown partner', ['disable', '--url', 'https://nobody.example', ...WHO], /not registered/],
      [
        'no operator who creates',
        ['create', '--name', 'X', '--url', url, '--public-key', keyFile, '--if-missing'],
        /--by/,
      ],
      ['no operator who adds a key', ['add-key', '--url', url, '--public-key', keyFile], /--by/],
      [
        'no reason to remove a key',
        ['remove-key', '--url', url, '--key-id=x', '--by', 'asha-rao'],
        /--reason/,
      ],
      ['no operator who disables', ['disable', '--url', url], /--by/],
    ])('exits with a clear message: %s', (_name, args, message) => {
      const { status, stderr } = cli('partners', ...args);
      expect(status).toBe(1);
      expect(stderr).toMatch(message);
      expect(stderr).not.toMatch(/\n {4}at /);
    });
  });
});
