import { z } from 'zod';
import { ConfigError, loadConfig } from './load-config.js';
import { databaseConfig, isProduction, ownerDatabaseConfig } from './command-settings.js';
import { httpConfig, httpSettings, setting } from './common-settings.js';

const schema = z.object({
  URL: setting.url('https:'),
  COUNT: setting.int(1, 5).default(3),
  NAME: z.string(),
});

describe('loadConfig', () => {
  it('reads settings and applies defaults', () => {
    const config = loadConfig(schema, { URL: 'https://x.example', NAME: 'a', COUNT: '' });
    expect(config).toEqual({ URL: 'https://x.example', NAME: 'a', COUNT: 3 });
  });

  it('reports all problems at once, without the values', () => {
    const load = () => loadConfig(schema, { URL: 'http://secret.example', COUNT: '9' });
    expect(load).toThrow(ConfigError);
    try {
      load();
    } catch (error) {
      const { message } = error as ConfigError;
      expect(message).toMatch(/URL: must be a URL that begins with https:\/\//);
      expect(message).toMatch(/COUNT: /);
      expect(message).toMatch(/NAME: is not set/);
      expect(message).not.toContain('secret');
    }
  });
});

describe('httpConfig', () => {
  const read = (env: Record<string, string>) =>
    httpConfig(
      loadConfig(z.object({ ...httpSettings, PORT: setting.int(0, 65_535) }), { PORT: '3001', ...env }),
    );

  it('listens on this machine only and allows any page outside production', () => {
    expect(read({})).toMatchObject({
      host: '127.0.0.1',
      shutdownDelaySeconds: 0,
      corsOrigins: true,
      trustedProxyHops: 0,
    });
  });

  it.each(['foo', 'https://a.example/path', 'https://a.example,b.example', 'https://a.example/'])(
    'refuses %s as an origin',
    (list) => {
      expect(() => read({ CORS_ORIGINS: list })).toThrow(/CORS_ORIGINS: must be/);
    },
  );

  it('listens on all interfaces, delays the shutdown and allows only listed pages in production', () => {
    expect(read({ NODE_ENV: 'production' })).toMatchObject({
      host: '0.0.0.0',
      shutdownDelaySeconds: 5,
      corsOrigins: [],
    });
    expect(
      read({ NODE_ENV: 'production', CORS_ORIGINS: 'https://a.example, https://b.example' }).corsOrigins,
    ).toEqual(['https://a.example', 'https://b.example']);
  });
});

describe('isProduction', () => {
  it('reads NODE_ENV without any other setting', () => {
    expect([isProduction({}), isProduction({ NODE_ENV: 'production' })]).toEqual([false, true]);
    for (const NODE_ENV of ['', 'prod', 'Production', ' production'])
      expect(() => isProduction({ NODE_ENV })).toThrow(/NODE_ENV: must be development, test or production$/);
  });
});

describe('databaseConfig', () => {
  const url = 'postgres://db.example/fd';

  it('requires the URL of the database only', () => {
    expect(databaseConfig({ DATABASE_URL: url })).toEqual({ url, poolSize: 1, isPooled: false });
    expect(() => databaseConfig({})).toThrow(ConfigError);
  });

  const inProduction = (query: string, others: Record<string, string> = {}) =>
    databaseConfig({ NODE_ENV: 'production', DATABASE_URL: `${url}${query}`, ...others });

  it.each([
    '',
    '?sslmode=disable',
    '?sslmode=no-verify',
    '?ssl=0',
    '?sslmode=verify-full&sslmode=disable',
    '?uselibpqcompat=true&sslmode=require',
    '?sslmode=verify-full&sslrootcert=/none.pem',
  ])('refuses a connection without TLS or without a checked certificate in production: %j', (query) => {
    expect(() => inProduction(query)).toThrow(/DATABASE_URL: must use TLS in production/);
    expect(inProduction(query, { PRIVATE_NETWORK: 'true' }).url).toBe(`${url}${query}`);
  });

  it('refuses in production a setting that trusts any certificate', () => {
    const query = '?sslmode=verify-full';
    expect(() => inProduction(query, { NODE_TLS_REJECT_UNAUTHORIZED: '0' })).toThrow(
      /NODE_TLS_REJECT_UNAUTHORIZED: must not be 0/,
    );
    expect(inProduction(query, { NODE_TLS_REJECT_UNAUTHORIZED: '1' }).url).toBe(`${url}${query}`);
  });

  it('reports a missing URL once, and accepts a password that is not URL-encoded', () => {
    expect(() => databaseConfig({ NODE_ENV: 'production' })).toThrow(/: is not set$/);
    const odd = `${url.replace('//', '//fd:a-password-of-100%@')}?sslmode=verify-full`;
    expect(databaseConfig({ NODE_ENV: 'production', DATABASE_URL: odd }).url).toBe(odd);
  });

  it.each(['?sslmode=verify-full', '?sslmode=require', '?ssl=true'])(
    'accepts in production settings with which the driver verifies certificates: %j',
    (query) => {
      expect(inProduction(query).url).toBe(`${url}${query}`);
    },
  );
});

describe('ownerDatabaseConfig', () => {
  const DATABASE_URL = 'postgres://service@db.example/fd';
  const MIGRATIONS_DATABASE_URL = 'postgres://owner@db.example/fd';

  it('prefers the URL of the owner, and grants rights to the role of the service', () => {
    const owner = { MIGRATIONS_DATABASE_URL, SERVICE_DATABASE_ROLE: 'service' };
    const config = { url: MIGRATIONS_DATABASE_URL, poolSize: 1, isPooled: false, serviceRole: 'service' };
    expect(ownerDatabaseConfig({ ...owner, DATABASE_URL })).toEqual(config);
    expect(ownerDatabaseConfig(owner)).toEqual(config);
  });

  it('takes the URL of the service where it is the owner', () => {
    expect(ownerDatabaseConfig({ DATABASE_URL })).toMatchObject({
      url: DATABASE_URL,
      serviceRole: undefined,
    });
  });

  it.each([
    ['no URL', {}, /MIGRATIONS_DATABASE_URL: is not set/],
    [
      'migrations behind a pooler',
      { DATABASE_URL, DATABASE_POOLER: 'transaction' },
      /MIGRATIONS_DATABASE_URL: must be set with DATABASE_POOLER=transaction/,
    ],
    ['an owner without a role of the service', { MIGRATIONS_DATABASE_URL }, /SERVICE_DATABASE_ROLE/],
    ['a role without an owner', { DATABASE_URL, SERVICE_DATABASE_ROLE: 'service' }, /SERVICE_DATABASE_ROLE/],
  ])('rejects %s', (_name, environment, problem) => {
    expect(() => ownerDatabaseConfig(environment)).toThrow(problem);
  });
});
