import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import type { ConfigError } from '@fd/platform';
import { MASTER_SETTINGS, masterConfig } from './master-config.js';

const RATE_LIMIT_SECRET = randomBytes(32).toString('base64');
const LEAST = {
  DATABASE_URL: 'postgres://db.example/fd',
  REDIS_URL: 'redis://:its-own-password@redis.example',
};

describe('masterConfig', () => {
  it('gives all settings except the stores a default', () => {
    expect(masterConfig(LEAST)).toMatchObject({
      http: { host: '127.0.0.1', port: 3_002, isProduction: false },
      database: { url: LEAST.DATABASE_URL },
      redis: { urls: [LEAST.REDIS_URL], isCluster: false, keyPrefix: 'fd:' },
      rateLimit: { perMinute: 3_000 },
      catalogue: { pollSeconds: 2 },
    });
  });

  it('names all problems at once, without their values', () => {
    const bad = { ...LEAST, REDIS_URL: 'http://secret@host', PORT: 'x', CATALOGUE_POLL_SECONDS: '0' };
    let problems: readonly string[] = [];
    try {
      masterConfig(bad);
    } catch (error) {
      problems = (error as ConfigError).problems;
    }
    expect(problems.map((problem) => problem.split(':')[0]).sort()).toEqual([
      'CATALOGUE_POLL_SECONDS',
      'PORT',
      'REDIS_URL',
    ]);
    expect(problems.join()).not.toContain('secret');
  });

  it('refuses stores without TLS, guessable secrets and CORS for all origins in production', () => {
    const problemsOf = (env: Record<string, string>) => {
      try {
        masterConfig({ ...LEAST, NODE_ENV: 'production', RATE_LIMIT_SECRET, ...env });
        return [];
      } catch (error) {
        return (error as ConfigError).problems.map((problem) => problem.split(':')[0]);
      }
    };
    expect(problemsOf({ CORS_ORIGINS: '*' })).toEqual(['DATABASE_URL', 'REDIS_URL', 'CORS_ORIGINS']);
    const encrypted = {
      DATABASE_URL: `${LEAST.DATABASE_URL}?sslmode=verify-full`,
      REDIS_URL: 'rediss://:its-own-password@r',
    };
    expect(problemsOf(encrypted)).toEqual([]);
    expect(problemsOf({ PRIVATE_NETWORK: 'true' })).toEqual([]);
    const { RATE_LIMIT_SECRET: example, FACT_SHEET_KEYS } = parseEnv(
      readFileSync(resolve(__dirname, '../../../../docker/example.env'), 'utf8'),
    );
    for (const text of ['', example!, 'c2hvcnQ=', 'changeme-changeme-changeme-changeme-changeme'])
      expect(problemsOf({ ...encrypted, RATE_LIMIT_SECRET: text })).toContain('RATE_LIMIT_SECRET');
    expect(problemsOf({ ...encrypted, FACT_SHEET_KEYS: FACT_SHEET_KEYS! })).toEqual(['FACT_SHEET_KEYS']);
    const published = {
      DATABASE_URL: encrypted.DATABASE_URL.replace('//', '//fd:example-password@'),
      REDIS_URL: encrypted.REDIS_URL.replace('its', 'example'),
    };
    expect(problemsOf(published)).toEqual(['DATABASE_URL', 'REDIS_URL']);
    for (const REDIS_URL of ['rediss://r', 'rediss://:elevenchars@r'])
      expect(problemsOf({ ...encrypted, REDIS_URL })).toEqual(['REDIS_URL']);
  });

  it('finds each setting once, in the README or on the page of settings that both services share', () => {
    const pages = ['../../README.md', '../../../../docs/settings.md'];
    const rows = pages.flatMap((page) => [
      ...readFileSync(resolve(__dirname, page), 'utf8').matchAll(/^\| `([A-Z][A-Z0-9_]+)`/gm),
    ]);
    expect(rows.map(([, name]) => name).sort()).toEqual([...MASTER_SETTINGS].sort());
  });
});
