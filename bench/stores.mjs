// The stores and settings of a run: a durable PostgreSQL and a Redis, removed after the run.
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { developmentEnvironment } from '../tools/dev/dev-env.mjs';
import { throwawayInfra, throwawayPostgres } from '../tools/stores/infra.mjs';
import { createDatabase, createServiceRole } from '../tools/stores/postgres.mjs';
import { prepare } from '../tools/dev/prepare.mjs';

/** The role of the services. */
const SERVICE_ROLE = 'fd_service';

/** Starts both; databaseUrl(name) creates an empty database. */
export async function startStores(say) {
  const redis = await throwawayInfra('bench', say);
  const postgres = await throwawayPostgres('bench');
  return {
    redisUrl: redis.redisUrl,
    folder: redis.temporary,
    databaseUrl: async (name) => {
      await createDatabase(postgres.url('postgres'), name);
      return postgres.url(name);
    },
    release: async () => {
      await postgres.release();
      await redis.release();
    },
  };
}

/** Settings of a service as in production, without the limits that one client on one machine would reach at once. */
async function settingsOf(service, { databaseUrl, redisUrl }, outside) {
  return {
    ...(await developmentEnvironment(service, { databaseUrl, redisUrl })),
    // users-service runs as development, because production requires https to providers; otherwise the settings equal production
    NODE_ENV: service === 'users-service' ? 'development' : 'production',
    // the stores are on this machine
    PRIVATE_NETWORK: 'true',
    LOG_LEVEL: 'info',
    CORS_ORIGINS: '',
    RATE_LIMIT_PER_MINUTE: '1000000',
    SMS_PRIMARY_URL: `${outside}/sms`,
    SMS_FALLBACK_URL: `${outside}/sms`,
    PAN_REGISTRY_URL: `${outside}/pan`,
    OTP_SENDS_PER_IP_HOUR: '0',
    OTP_SENDS_PER_PREFIX_HOUR: '0',
    OTP_SENDS_PER_HOUR: '0',
    OTP_MIN_CONVERSION_PERCENT: '0',
    OTP_TEST_RULES: '',
  };
}

/** Migrated and filled databases. */
const prepared = new Set();

/** The environment of SERVICE on DATABASE, which is created with the development data at its first use. */
export async function environmentOf(service, stores, { database, outside = '' }) {
  const ownerUrl = await stores.databaseUrl(database);
  // as in production, where a service refuses to start as the owner
  const databaseUrl = await createServiceRole(ownerUrl, SERVICE_ROLE);
  const env = await settingsOf(service, { databaseUrl, redisUrl: stores.redisUrl }, outside);
  const owner = { MIGRATIONS_DATABASE_URL: ownerUrl, SERVICE_DATABASE_ROLE: SERVICE_ROLE };
  // events cost each change, and only their own contender has them
  if (!prepared.has(database))
    await prepare(service, { ...env, ...owner, NODE_ENV: 'development' }, { hasEvents: false });
  prepared.add(database);
  return env;
}

/**
 * The answer of SERVER to a request: { status, headers, body }, without the headers that each server adds itself. A compressed
 * body remains compressed, with one character for each byte.
 */
export async function answerTo(server, { method = 'GET', path, headers, body }) {
  const asked = request(server.url + path, { method, headers }).end(body);
  const [answer] = await once(asked, 'response');
  const bytes = await buffer(answer);
  const { statusCode: status } = answer;
  if (status >= 400) throw new Error(`${server.name} ${path}: ${status} ${bytes}`);
  const own = ['connection', 'keep-alive', 'date', 'content-length'];
  const kept = Object.entries(answer.headers).filter(([header]) => !own.includes(header));
  const text = bytes.toString(answer.headers['content-encoding'] ? 'latin1' : 'utf8');
  return { status, headers: Object.fromEntries(kept), body: text };
}

/** Writes VALUE as JSON into FOLDER, for a server to read. */
export function writeJson(folder, name, value) {
  const file = join(folder, `${name}.json`);
  writeFileSync(file, JSON.stringify(value));
  return file;
}
