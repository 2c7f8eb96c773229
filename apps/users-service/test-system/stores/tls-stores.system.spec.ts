import '@fd/testing/use-generous-limits';
import { chownSync, chmodSync, copyFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { databaseConfig } from '@fd/platform';
import { administer, eventually, RedisServer, type TlsFiles } from '@fd/testing';
import { PrivateAuthority } from '../../test/support/private-authority.config.js';
import { as, logIn } from '../../test/support/login.js';
import { type OwnPostgres, throwawayPostgres } from '../../test/support/own-postgres.mjs';
import { startService, type TestService, type UsersApp } from '../../test/support/users-app.js';

const PASSWORD = 'password-of-the-service';

describe('stores with certificates of a private authority', () => {
  let authority: PrivateAuthority;
  let stranger: PrivateAuthority;
  let postgres: OwnPostgres;
  let redis: RedisServer;
  let service: TestService;

  const databaseUrl = (user: string, { host = '127.0.0.1', ca = authority.file } = {}) => {
    const url = new URL(postgres.url('onboarding'));
    if (user === 'service') [url.username, url.password] = [user, PASSWORD];
    url.hostname = host;
    url.searchParams.set('sslmode', 'verify-full');
    url.searchParams.set('sslrootcert', ca);
    return url.href;
  };

  /** Gives PostgreSQL a certificate, which it shows on new connections. */
  async function certify({ certificate, key }: TlsFiles): Promise<void> {
    const [{ folder }] = (await administer(
      postgres.url('postgres'),
      `SELECT current_setting('data_directory') AS folder`,
    )) as [{ folder: string }];
    const { uid, gid } = statSync(folder);
    const [itsCertificate, itsKey] = [join(folder, 'server.pem'), join(folder, 'server.key')];
    for (const [from, to] of [
      [certificate, itsCertificate],
      [key, itsKey],
    ] as const) {
      copyFileSync(from, to);
      chmodSync(to, 0o600);
      chownSync(to, uid, gid);
    }
    await administer(
      postgres.url('postgres'),
      `ALTER SYSTEM SET ssl_cert_file = '${itsCertificate}'`,
      `ALTER SYSTEM SET ssl_key_file = '${itsKey}'`,
      'ALTER SYSTEM SET ssl = on',
      'SELECT pg_reload_conf()',
    );
    await eventually(async () =>
      expect(await administer(postgres.url('postgres'), 'SHOW ssl')).toEqual([{ ssl: 'on' }]),
    );
  }

  beforeAll(async () => {
    [authority, stranger] = [await PrivateAuthority.create(), await PrivateAuthority.create()];
    postgres = await throwawayPostgres('the tests of TLS to the stores');
    await administer(
      postgres.url('postgres'),
      `CREATE ROLE service LOGIN PASSWORD '${PASSWORD}'`,
      'CREATE DATABASE onboarding',
    );
    const valid = await authority.issue();
    await certify(valid);
    redis = await RedisServer.startWithTls(valid);
    service = await startService({
      DATABASE_URL: databaseUrl('service'),
      MIGRATIONS_DATABASE_URL: databaseUrl('owner'),
      SERVICE_DATABASE_ROLE: 'service',
      REDIS_URL: redis.url,
      REDIS_CA_FILE: authority.file,
    });
  });
  afterAll(async () => {
    await service?.close();
    await redis?.stop();
    await postgres.release();
    for (const one of [authority, stranger]) one.remove();
  });

  it('serves users over encrypted connections only, with settings that production accepts', async () => {
    const user = await logIn(service);
    expect((await as(service.api, user).get('/api/v1/user-profile')).status).toBe(200);
    const connections = await administer(
      postgres.url('onboarding'),
      `SELECT s.ssl FROM pg_stat_activity a JOIN pg_stat_ssl s USING (pid) WHERE a.usename = 'service'`,
    );
    expect(new Set(connections.map((row) => (row as { ssl: boolean }).ssl))).toEqual(new Set([true]));
    expect(() => databaseConfig({ ...service.environment, NODE_ENV: 'production' })).not.toThrow();
  });

  /** Expects a replica to refuse a store that does not prove its identity. */
  async function expectRefused(
    replica: UsersApp,
    store: 'postgres' | 'redis',
    reason: RegExp,
  ): Promise<void> {
    await eventually(() => expect(replica.logs()).toMatch(reason));
    const { checks } = (await replica.api.get('/health/ready')).body as { checks: Record<string, string> };
    expect(checks[store]).toBe('down');
    expect(replica.logs()).not.toMatch(/"stack"|\n\s+at /);
  }
  const SIGNER = /self-signed certificate in certificate chain|unable to (verify|get local issuer)/;
  const NAME = /does not match certificate's altnames/;
  const OVER = /certificate has expired/;

  it('refuses stores whose certificate another authority signed', async () => {
    const other = { DATABASE_URL: databaseUrl('service', { ca: stranger.file }) };
    await expectRefused(await service.replica(other), 'postgres', SIGNER);
    await expectRefused(await service.replica({ REDIS_CA_FILE: stranger.file }), 'redis', SIGNER);
    await expectRefused(await service.replica({ REDIS_CA_FILE: '' }), 'redis', SIGNER);
  });

  it('refuses stores whose certificate has another name', async () => {
    const other = { DATABASE_URL: databaseUrl('service', { host: 'localhost' }) };
    await expectRefused(await service.replica(other), 'postgres', NAME);
    const redisUrl = redis.url.replace('127.0.0.1', 'localhost');
    await expectRefused(await service.replica({ REDIS_URL: redisUrl }), 'redis', NAME);
  });

  it('identifies itself by a certificate, so that a password which an attacker gives the role is of no use', async () => {
    const [{ hba, folder }] = (await administer(
      postgres.url('postgres'),
      "SELECT current_setting('hba_file') AS hba, current_setting('data_directory') AS folder",
    )) as [{ hba: string; folder: string }];
    copyFileSync(authority.file, join(folder, 'ca.pem'));
    const former = readFileSync(hba, 'utf8');
    writeFileSync(hba, `hostssl all service all cert\nhost all service all reject\n${former}`);
    await administer(
      postgres.url('postgres'),
      `ALTER SYSTEM SET ssl_ca_file = '${join(folder, 'ca.pem')}'`,
      'SELECT pg_reload_conf()',
    );
    const ofClient = await authority.issue(2, 'service');
    const url = new URL(databaseUrl('service'));
    url.password = '';
    url.searchParams.set('sslcert', ofClient.certificate);
    url.searchParams.set('sslkey', ofClient.key);
    expect(databaseConfig({ NODE_ENV: 'production', DATABASE_URL: url.href }).url).toBe(url.href);
    const replica = await service.replica({ DATABASE_URL: url.href });
    await eventually(async () => expect((await replica.api.get('/health/ready')).status).toBe(200));
    await administer(url.href, `ALTER ROLE service PASSWORD '${PASSWORD}'`);
    const byPassword = administer(databaseUrl('service'), 'SELECT');
    await expect(byPassword).rejects.toThrow('requires a valid client certificate');
    writeFileSync(hba, former);
    await administer(postgres.url('postgres'), 'SELECT pg_reload_conf()');
  });

  it('refuses stores whose certificate has expired, and uses them again with a new one', async () => {
    const expired = await authority.issue(-1);
    await certify(expired);
    const { certificate, key } = expired;
    await redis.command('CONFIG', 'SET', 'tls-cert-file', certificate, 'tls-key-file', key);
    // the test's own PostgreSQL connection needs no certificate
    const replica = await service.replica({ MIGRATIONS_DATABASE_URL: postgres.url('onboarding') });
    await expectRefused(replica, 'postgres', OVER);
    await expectRefused(replica, 'redis', OVER);
    const renewed = await authority.issue();
    await certify(renewed);
    await redis.command('CONFIG', 'SET', 'tls-cert-file', renewed.certificate, 'tls-key-file', renewed.key);
    await eventually(async () => expect((await replica.api.get('/health/ready')).status).toBe(200));
  });
});
