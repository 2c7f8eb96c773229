// PostgreSQL and Redis for development and tests, shared by all processes of this checkout.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ownerOf, withLock } from './lock.mjs';
import { answers } from './ports.mjs';
import { createDatabase, createServiceRole, dropPostgres, startPostgres, stopPostgres } from './postgres.mjs';
import { mayEnter, serverUser } from './postgres-binaries.mjs';
import { identity, runOnDeath, stillLives } from '../processes/processes.mjs';
import { startRedis, stopRedis } from './redis.mjs';
import { dataPath, dataFolder, given } from '../workspace.mjs';

/** The development database of both services; each has its own schema. */
const DATABASE = 'fd';

/** The services' role; another role owns the schemas, as in production. */
const SERVICE_ROLE = 'fd_service';

// preferred, so that a database client can keep its settings; another free port is used if it is taken
const preferredPorts = { postgres: 15_432, redis: 16_379 };

const lockOf = (home) => join(home, 'infra.lock');
const releaseScript = fileURLToPath(new URL('release-infra.mjs', import.meta.url));

/** Contains a file for each process that uses HOME; PostgreSQL and Redis end with the last one. */
const holderFolder = (home) => join(home, 'holders');
const holderFile = (home, pid) => join(holderFolder(home), String(pid));

/** Records that this process uses HOME. TITLE is its name for people ("npm start"). */
export function addHolder(home, title) {
  mkdirSync(holderFolder(home), { recursive: true });
  // another process may read it at any time
  const unfinished = join(home, `holder-${process.pid}`);
  writeFileSync(unfinished, JSON.stringify({ ...identity(), title }));
  renameSync(unfinished, holderFile(home, process.pid));
}

/** Returns the living users of HOME ({pid, title}) and removes the dead ones. */
export function holders(home) {
  if (!existsSync(holderFolder(home))) return [];
  return readdirSync(holderFolder(home)).flatMap((pid) => {
    const holder = ownerOf(holderFile(home, pid));
    if (stillLives(holder)) return [holder];
    rmSync(holderFile(home, pid), { force: true });
    return [];
  });
}

/** Ends the servers of HOME; drop also deletes their data. */
async function stopBoth(home, { drop }) {
  await Promise.all([stopPostgres(home), stopRedis(home)]);
  if (!drop) return;
  dropPostgres(home);
  rmSync(home, { recursive: true, force: true });
}

/**
 * Removes the user PID of HOME, running or not. If it was the last one, ends PostgreSQL and Redis; drop also deletes their
 * data.
 */
export async function releaseInfra(home, pid, { drop = false } = {}) {
  if (!existsSync(home)) return;
  await withLock(lockOf(home), async () => {
    rmSync(holderFile(home, pid), { force: true });
    if (holders(home).length === 0) await stopBoth(home, { drop });
  });
}

/**
 * Starts the PostgreSQL and Redis of HOME unless they run; they end with their last user, even if it is killed. Returns the
 * result of WORK and release().
 */
async function hold(home, title, { drop = false, say = () => {} }, work) {
  const args = [releaseScript, home, String(process.pid), ...(drop ? ['--drop'] : [])];
  const cancel = runOnDeath(process.execPath, args);
  const release = async () => {
    await releaseInfra(home, process.pid, { drop });
    await cancel();
  };
  const waiting = (pid) =>
    say(`Waiting for process ${pid ?? '?'}, which is starting PostgreSQL and Redis ...`);
  const holdAndWork = () => {
    addHolder(home, title);
    return work();
  };
  try {
    return { ...(await withLock(lockOf(home), holdAndWork, { waiting })), release };
  } catch (error) {
    await release();
    throw error;
  }
}

/** Returns the URL in the variable NAME. @throws Error if no server answers there, instead of a hundred log lines later */
async function requireAnswer(name, defaultPort) {
  const url = given(name);
  if (!url) return undefined;
  const { hostname = '', port } = URL.canParse(url) ? new URL(url) : {};
  // a URL without a host is a local socket, which only a client can try
  if (hostname && !(await answers(Number(port || defaultPort), hostname.replace(/[[\]]/g, '')))) {
    throw new Error(`Nothing answers at ${hostname}:${port || defaultPort}, which ${name} names.`);
  }
  return url;
}

/**
 * For development: uses the servers of DATABASE_URL and REDIS_URL as they are; runs the others from .data and keeps their data
 * there. SAY gets a line for everything that takes time.
 * Returns databaseUrl, redisUrl, release(), and for our PostgreSQL owner (settings for migrations as its owner) and stamps (a
 * folder for notes on its contents).
 */
export async function developmentInfra(title, say = () => {}) {
  const databaseUrl = await requireAnswer('DATABASE_URL', 5432);
  const redisUrl = await requireAnswer('REDIS_URL', 6379);
  if (databaseUrl && redisUrl) return { databaseUrl, redisUrl, owner: {}, release: async () => {} };
  const home = dataPath();

  const postgres = async () => {
    const server = await startPostgres(home, { preferredPort: preferredPorts.postgres });
    await createDatabase(server.url('postgres'), DATABASE);
    if (!server.reused) say(`PostgreSQL started on 127.0.0.1:${server.port}`);
    const ownerUrl = server.url(DATABASE);
    return {
      databaseUrl: await createServiceRole(ownerUrl, SERVICE_ROLE),
      owner: { MIGRATIONS_DATABASE_URL: ownerUrl, SERVICE_DATABASE_ROLE: SERVICE_ROLE },
      // removed with the data
      stamps: server.folder,
    };
  };
  const redis = async () => {
    const server = await startRedis(home, { preferredPort: preferredPorts.redis, say });
    if (!server.reused) say(`Redis started on 127.0.0.1:${server.port}`);
    return server.url;
  };
  return hold(home, title, { say }, async () => {
    const database = databaseUrl ? { databaseUrl, owner: {} } : await postgres();
    return { ...database, redisUrl: redisUrl ?? (await redis()) };
  });
}

/** Creates a folder in the temporary directory, or in /tmp if only root may enter that one. */
function temporaryHome() {
  const user = serverUser();
  const base = !user || mayEnter(tmpdir(), user) ? tmpdir() : '/tmp';
  const home = mkdtempSync(join(base, 'fd-test-'));
  chmodSync(home, 0o711);
  return home;
}

/**
 * For tests: starts an empty PostgreSQL and Redis for the caller only; release() removes everything. inMemory: false keeps the
 * data on the disk, for tests that store more than fits. Returns databaseUrl (of the maintenance database "postgres"), redisUrl,
 * temporary (a folder for files of the tests, removed with them) and release().
 */
export async function throwawayInfra(title, say = () => {}, { inMemory = true } = {}) {
  const home = temporaryHome();
  return hold(home, title, { drop: true, say }, async () => {
    const postgres = await startPostgres(home, { durable: false, inMemory });
    await createDatabase(postgres.url('postgres'), 'postgres'); // waits until the server answers
    const redis = await startRedis(home, { durable: false, say });
    const temporary = join(home, 'tmp');
    mkdirSync(temporary);
    chmodSync(temporary, 0o711);
    return { databaseUrl: postgres.url('postgres'), redisUrl: redis.url, temporary };
  });
}

/**
 * For tests that crash or stop a PostgreSQL: starts an empty one that is durable; release() removes everything.
 * prepare(home): makes other data; the caller then starts the server.
 * Returns home, url(database), start(), stop({ isCrash }) and release(). It keeps its port.
 */
export async function throwawayPostgres(title, { prepare } = {}) {
  const home = temporaryHome();
  let port;
  let url;
  const start = async () => {
    ({ port, url } = await startPostgres(home, { preferredPort: port }));
    await createDatabase(url('postgres'), 'postgres'); // waits until the server answers
  };
  return hold(home, title, { drop: true }, async () => {
    await (prepare ? prepare(home) : start());
    return { home, url: (database) => url(database), start, stop: (options) => stopPostgres(home, options) };
  });
}

/** Ends the servers on .data and removes it. The caller has made sure that no process uses it. */
export async function dropDevelopmentInfra() {
  if (!existsSync(dataFolder)) return;
  await withLock(lockOf(dataFolder), () => stopBoth(dataFolder, { drop: true }));
}
