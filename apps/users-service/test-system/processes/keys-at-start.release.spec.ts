import { once } from 'node:events';
import type { ConfigError } from '@fd/platform';
import { eventually, TcpProxy } from '@fd/testing';
import { usersConfig } from '../../src/config/users-config.js';
import { forgetOtherKeys, otherKeysAtWork, registerKeys } from '../../src/core/pii/key-register.js';
import { logIn } from '../../test/support/login.js';
import { ServiceProcesses } from '../../test/support/service-process.config.js';
import { secretText } from '../../test/support/settings.js';
import { withoutTriggers } from '../../test/support/past-rows.js';
import { startService, type TestService } from '../../test/support/users-app.js';
import { WHO } from '../../test/support/operator.js';

const [k1, k2, k3] = [secretText(), secretText(), secretText()];

describe('registered encryption keys', () => {
  let service: TestService;
  let processes: ServiceProcesses;
  beforeAll(async () => {
    service = await startService({ PII_KEYS: `k1:${k1}` });
    processes = new ServiceProcesses(service.environment);
    await logIn(service);
  });
  afterAll(async () => {
    await processes.killAll();
    await service.close();
  });
  beforeEach(() =>
    withoutTriggers(
      service,
      "DELETE FROM onboarding.keys_in_use WHERE purpose = 'PII' AND key_id <> 'k1'",
      [],
    ),
  );

  const keysOf = (piiKeys: string, indexSecret = service.environment['INDEX_SECRET']) =>
    usersConfig({ ...service.environment, PII_KEYS: piiKeys, INDEX_SECRET: indexSecret }).pii;
  const register = (piiKeys: string, options = {}) =>
    registerKeys(service.database.manager, { pii: keysOf(piiKeys).keys }, options);
  const problemsOf = async (piiKeys: string) =>
    (await register(piiKeys).catch((error: unknown) => error as ConfigError))?.problems;
  const inUse = async () => {
    const rows = await service.dataSource.query<{ id: string }[]>(
      "SELECT purpose || ' ' || key_id AS id FROM onboarding.keys_in_use ORDER BY 1",
    );
    return rows.map(({ id }) => id);
  };

  it('registers keys that a replica encrypts with, not those it only decrypts with', async () => {
    expect(await inUse()).toEqual(['INDEX index', 'PII k1']);
    await register(`k1:${k1},k2:${k2}`);
    expect(await inUse()).toEqual(['INDEX index', 'PII k1']);
    await register(`k2:${k2},k1:${k1}`);
    expect(await inUse()).toEqual(['INDEX index', 'PII k1', 'PII k2']);
  });

  it('refuses a replica without a registered key or with another one, and registers nothing', async () => {
    await register(`k2:${k2},k1:${k1}`);
    expect(await problemsOf(`k3:${k3}`)).toEqual([
      expect.stringMatching(/^PII_KEYS: the key k1 is missing: .* pii:rotate/),
      expect.stringMatching(/^PII_KEYS: the key k2 is missing/),
    ]);
    expect(await problemsOf(`k1:${k3},k2:${k2}`)).toEqual([
      expect.stringMatching(/^PII_KEYS: the key k1 differs from the key of this id/),
    ]);
    expect(await inUse()).toEqual(['INDEX index', 'PII k1', 'PII k2']);
  });

  const noneReported = () =>
    withoutTriggers(
      service,
      "UPDATE onboarding.keys_in_use SET seen_at = now() - interval '181 seconds' WHERE purpose = 'PII'",
      [],
    );

  it.each<[string, Buffer | null, () => string, string[]]>([
    ['a key that it lacks', null, () => `k1:${k1}`, ['INDEX index', 'PII k1']],
    [
      'another key under one of its ids',
      Buffer.alloc(16),
      () => `k3:${k3},k1:${k1}`,
      ['INDEX index', 'PII k1', 'PII k3'],
    ],
  ])(
    'forgets a record of %s that no value needs, once no replica reports it',
    async (_name, check, own, left) => {
      await service.database.query(
        "INSERT INTO onboarding.keys_in_use (purpose, key_id, check_value) VALUES ('PII', 'k3', $1)",
        [check],
      );
      expect(await problemsOf(own())).toEqual([expect.stringMatching(/^PII_KEYS: the key k3 /)]);
      await noneReported();
      expect(await problemsOf(own())).toBeUndefined();
      expect(await inUse()).toEqual(left);
    },
  );

  it('keeps the record of a key that a value needs, though no replica reports it', async () => {
    await noneReported();
    expect(await problemsOf(`k2:${k2}`)).toEqual([expect.stringMatching(/^PII_KEYS: the key k1 is missing/)]);
    expect(await inUse()).toEqual(['INDEX index', 'PII k1']);
  });

  it('accepts a missing key when the caller allows it, but no other key of the same id', async () => {
    await register(`k2:${k2}`, { mayLackKeys: true });
    await expect(register(`k1:${k3}`, { mayLackKeys: true })).rejects.toThrow(
      'k1 differs from the key of this id',
    );
  });

  it('allows a key to be removed when no replica has written with it for some minutes', async () => {
    await register(`k2:${k2},k1:${k1}`);
    await register(`k1:${k1},k2:${k2}`);
    expect(await otherKeysAtWork(service.database.manager, 'k1')).toEqual(['k2']);
    await noneReported();
    // a replica that only decrypts with an older key does not count
    await register(`k1:${k1},k2:${k2}`);
    expect(await otherKeysAtWork(service.database.manager, 'k1')).toEqual([]);
    await forgetOtherKeys(service.database.manager, 'k1');
    expect(await problemsOf(`k1:${k1}`)).toBeUndefined();
    // PostgreSQL itself keeps a key as long as a value needs it
    await register(`k2:${k2},k1:${k1}`);
    await expect(forgetOtherKeys(service.database.manager, 'k2')).rejects.toThrow('keys in use are kept');
  });

  it.each<[string, () => Record<string, string>, RegExp]>([
    ['lacks a key', () => ({ PII_KEYS: `k2:${k2}` }), /^ {2}- PII_KEYS: the key k1 is missing/m],
    [
      'has another key under the same id',
      () => ({ PII_KEYS: `k1:${k2}` }),
      /^ {2}- PII_KEYS: the key k1 differs from the key of this id/m,
    ],
    ['has another index secret', () => ({ INDEX_SECRET: k3 }), /^ {2}- INDEX_SECRET: differs/m],
  ])('does not start, and names the keys in the error, when it %s', (_name, settings, problem) => {
    const { status, stdout, stderr } = processes.main({
      ...service.environment,
      LOG_LEVEL: 'trace',
      ...settings(),
    });
    expect([status, stderr]).toEqual([1, expect.stringMatching(problem)]);
    expect(stderr).not.toMatch(/\n {4}at /);
    for (const key of [k1, k2, k3]) expect(stdout + stderr).not.toContain(key);
  });

  it('compares keys once PostgreSQL is reachable: readiness is 503 until then, and a wrong key ends the process', async () => {
    const proxy = await TcpProxy.before(service.environment['DATABASE_URL']!);
    proxy.cut();
    const { child, url, log } = await processes.launch({ DATABASE_URL: proxy.url, PII_KEYS: `k2:${k2}` });
    const ended = once(child, 'exit');
    const statuses = new Set<number>();
    const ask = async () => statuses.add((await fetch(`${url}/health/ready`)).status);
    await eventually(ask);
    proxy.heal();
    while (child.exitCode === null) await ask().catch(() => undefined);
    expect(await ended).toEqual([1, null]);
    expect([...statuses]).toEqual([503]);
    expect(log()).toContain('the key k1 is missing');
    for (const key of [k1, k2]) expect(log()).not.toContain(key);
    await proxy.close();
  });
  it('names the missing keys in pii:rotate', async () => {
    const cli = async (piiKeys: string) => processes.spawnCli({ PII_KEYS: piiKeys }, 'pii:rotate', ...WHO);
    expect(await cli(`k1:${k2}`)).toMatchObject({
      code: 1,
      err: expect.stringContaining('k1 differs from the key of this id') as string,
    });
    const lacking = await cli(`k2:${k2}`);
    expect(lacking.code).toBe(1);
    expect(lacking.err).toMatch(/There are values of the keys k1\./);
    const early = await cli(`k2:${k2},k1:${k1}`);
    expect([early.code, early.err]).toEqual([
      1,
      expect.stringMatching(/a replica wrote with k1 in the last 3 minutes/),
    ]);
    // as if the replica with k1 first had ended
    await withoutTriggers(
      service,
      "UPDATE onboarding.keys_in_use SET seen_at = now() - interval '4 minutes'",
      [],
    );
    expect((await cli(`k2:${k2},k1:${k1}`)).code).toBe(0);
    expect(await inUse()).toEqual(['INDEX index', 'PII k2']);
  });
});
