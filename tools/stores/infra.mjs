// PostgreSQL and Redis for development and for tests, shared by everything that runs in this checkout.
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ownerOf, withLock } from './lock.mjs';
import { answers } from './ports.mjs';
import {
  createDatabase,
  createServiceRole,
  dropPostgres,
  makeStandby,
  startPostgres,
  stopPostgres,
} from './postgres.mjs';
import { mayEnter, serverUser } from './postgres-binaries.mjs';
import { identity, lastWill, stillLives } from '../processes/processes.mjs';
import { startRedis, stopRedis } from './redis.mjs';
import { dataPath, dataFolder, given } from '../workspace.mjs';

/** The database that both services use in development, each in a schema of its own. */
const DATABASE = 'fd';

/** The services' role there; the owner of the schemas is another one, as in production. */
const SERVICE_ROLE = 'fd_service';

// Tried first, so that a database client can keep its settings; a taken one is no problem.
const preferredPorts = { postgres: 55_432, redis: 56_379 };

const lockOf = (home) => join(home, 'infra.lock');
const releaseScript = fileURLToPath(new URL('release-infra.mjs', import.meta.url));

/** A file for each process that uses HOME: PostgreSQL and Redis end with the last of them. */
const holderFolder = (home) => join(home, 'holders');
const holderFile = (home, pid) => join(holderFolder(home), String(pid));

/** Notes that this process uses HOME. TITLE is how a person would recognise it ("npm start"). */
export function addHolder(home, title) {
  mkdirSync(holderFolder(home), { recursive: true });
  writeFileSync(holderFile(home, process.pid), JSON.stringify({ ...identity(), title }));
}

/** The living users of HOME ({pid, title}); the dead ones are forgotten. */
export function holders(home) {
  if (!existsSync(holderFolder(home))) return [];
  return readdirSync(holderFolder(home)).flatMap((pid) => {
    const holder = ownerOf(holderFile(home, pid));
    if (stillLives(holder)) return [holder];
    rmSync(holderFile(home, pid), { force: true });
    return [];
  });
}

/** Ends what runs in HOME; with drop its data goes too. */
async function stopBoth(home, { drop }) {
  await Promise.all([stopPostgres(home), stopRedis(home)]);
  if (!drop) return;
  dropPostgres(home);
  rmSync(home, { recursive: true, force: true });
}

/**
 * Forgets the user PID of HOME; when nobody else is left, PostgreSQL and Redis end, and with drop their data.
 * Works for a process that died, too.
 */
export async function releaseInfra(home, pid, { drop = false } = {}) {
  if (!existsSync(home)) return;
  await withLock(lockOf(home), async () => {
    rmSync(holderFile(home, pid), { force: true });
    if (holders(home).length === 0) await stopBoth(home, { drop });
  });
}

/**
 * Uses the PostgreSQL and Redis of HOME: what does not run is started, and the last user's end is theirs too,
 * however it comes about. Returns what WORK made of them and release().
 */
async function hold(home, title, { drop = false, say = () => {} }, work) {
  const args = [releaseScript, home, String(process.pid), ...(drop ? ['--drop'] : [])];
  const callOff = lastWill(process.execPath, args);
  const release = async () => {
    await releaseInfra(home, process.pid, { drop });
    await callOff();
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

/** Complains of a server that NAME names when nothing answers there: better now than as a hundred log lines. */
async function requireAnswer(name, defaultPort) {
  const url = given(name);
  if (!url) return undefined;
  const { hostname = '', port } = URL.canParse(url) ? new URL(url) : {};
  // without a host (a socket of this machine) only a client can tell
  if (hostname && !(await answers(Number(port || defaultPort), hostname.replace(/[[\]]/g, '')))) {
    throw new Error(`Nothing answers at ${hostname}:${port || defaultPort}, which ${name} names.`);
  }
  return url;
}

/**
 * Development: servers that the environment names (DATABASE_URL, REDIS_URL) are used as they are, the others run
 * from .data and keep their data there. SAY gets a line for everything that takes time.
 * Returns databaseUrl, redisUrl, owner (settings with which the owner of our PostgreSQL migrates) and release().
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

/** A folder in the temporary directory, or in /tmp when only root may enter the one it has been given. */
function temporaryHome() {
  const user = serverUser();
  const base = !user || mayEnter(tmpdir(), user) ? tmpdir() : '/tmp';
  const home = mkdtempSync(join(base, 'fd-test-'));
  chmodSync(home, 0o711);
  return home;
}

/**
 * Tests: an empty PostgreSQL and Redis that nobody else uses and of which nothing is left after release().
 * Returns databaseUrl (of the maintenance database "postgres"), redisUrl, temporary (a folder that is removed with
 * them, for whatever else the tests put down) and release().
 */
export async function throwawayInfra(title, say = () => {}) {
  const home = temporaryHome();
  return hold(home, title, { drop: true, say }, async () => {
    const postgres = await startPostgres(home, { durable: false });
    await createDatabase(postgres.url('postgres'), 'postgres'); // waits until it answers
    const redis = await startRedis(home, { durable: false, say });
    const temporary = join(home, 'tmp');
    mkdirSync(temporary);
    chmodSync(temporary, 0o711);
    return { databaseUrl: postgres.url('postgres'), redisUrl: redis.url, temporary };
  });
}

/**
 * For a test that does to a PostgreSQL what its neighbours would not survive: an empty one of its own, which keeps what
 * it has committed through a crash, and of which nothing is left after release().
 * standbyOf: another one, which has been stopped, and of which it is to be a standby; then it has to be started.
 * Returns home, url(database), start(), stop({ isCrash }) and release(). It keeps its port.
 */
export async function throwawayPostgres(title, { standbyOf } = {}) {
  const home = temporaryHome();
  let port;
  let url;
  const start = async () => {
    ({ port, url } = await startPostgres(home, { preferredPort: port }));
    await createDatabase(url('postgres'), 'postgres'); // waits until it answers
  };
  return hold(home, title, { drop: true }, async () => {
    if (standbyOf) await makeStandby(home, standbyOf.home, new URL(standbyOf.url('postgres')).port);
    else await start();
    return { home, url: (database) => url(database), start, stop: (options) => stopPostgres(home, options) };
  });
}

/** Ends what runs on .data and removes it. The caller made sure that nobody uses it. */
export async function dropDevelopmentInfra() {
  if (!existsSync(dataFolder)) return;
  await withLock(lockOf(dataFolder), () => stopBoth(dataFolder, { drop: true }));
}
