// A PostgreSQL server for this checkout: real binaries, no Docker, data in a folder of the checkout.
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  statfsSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { readIfThere } from '../files.mjs';
import { withFreePort } from './ports.mjs';
import { enterableHome, runnableBinaries, serverUser } from './postgres-binaries.mjs';
import { commandLine, end, isAlive, runProgram, until } from '../processes/processes.mjs';

/** The folders and the user of the PostgreSQL of HOME. */
export function places(home) {
  const user = serverUser();
  const base = enterableHome(home, user);
  const folder = join(base, 'postgres');
  const at = (name) => join(folder, name);
  return { user, base, folder, data: at('data'), password: at('password'), log: at('server.log') };
}

/** The server that runs on DATA, even if a former start left it behind. */
function running(data) {
  const [pid, , , port] = readIfThere(join(data, 'postmaster.pid')).split('\n').map(Number);
  return pid && port && isAlive(pid) && commandLine(pid).includes(data) ? { pid, port } : undefined;
}

/** Runs one of PostgreSQL's programs without the caller's PG... variables. */
const program = (bin, name, args, user) =>
  runProgram(`${name} failed`, join(bin, name), args, {
    ...user,
    cwd: '/',
    env: { PATH: process.env.PATH, LANG: 'C' },
  });

/**
 * The folder in memory of Linux, if 2 GiB are free there: a run of all tests needs a tenth of it. A new database has 650 files:
 * on a disk, whose file system looks for a free place for each, it took half a second, in memory a sixth of that.
 */
function folderInMemory() {
  const folder = '/dev/shm';
  if (!existsSync(folder)) return undefined;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize >= 2 * 1024 ** 3 ? folder : undefined;
}

async function createCluster(bin, at, { inMemory }) {
  mkdirSync(at.folder, { recursive: true });
  chmodSync(at.folder, 0o700);
  rmSync(at.data, { recursive: true, force: true }); // files of an interrupted initdb
  const memory = inMemory ? folderInMemory() : undefined;
  if (memory) symlinkSync(mkdtempSync(join(memory, 'fd-test-')), at.data);
  writeFileSync(at.password, randomBytes(18).toString('base64url'), { mode: 0o600 });
  const owned = [at.folder, at.password, ...(memory ? [at.data] : [])];
  if (at.user) for (const path of owned) chownSync(path, at.user.uid, at.user.gid);
  // the same on every system
  const locale = ['--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  const access = ['-U', 'postgres', '-A', 'scram-sha-256', `--pwfile=${at.password}`];
  const args = ['-D', at.data, ...access, '-E', 'UTF8', ...locale, '--no-sync'];
  await program(bin, 'initdb', args, at.user).catch((error) => {
    if (!/look up effective user ID/.test(error.message)) throw error;
    const remedy = 'add one to /etc/passwd, or set DATABASE_URL to a server you have';
    throw new Error(`PostgreSQL needs a name for user ${process.getuid()}: ${remedy}.`, { cause: error });
  });
  writeFileSync(join(at.folder, 'complete'), '');
}

async function launch(bin, at, { durable, port }) {
  // PostgreSQL trusts its pid file while any process has that number: after a crash it may be another process
  if (!running(at.data)) rmSync(join(at.data, 'postmaster.pid'), { force: true });
  const settings = [
    'listen_addresses=127.0.0.1',
    "unix_socket_directories=''",
    'max_connections=200',
    'timezone=UTC',
    'log_timezone=UTC',
    ...(durable ? [] : ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off']),
  ];
  const options = [`-p ${port}`, ...settings.map((setting) => `-c ${setting}`)];
  const args = ['start', '-D', at.data, '-l', at.log, '-w', '-t', '60', '-o', options.join(' ')];
  let failure;
  const starts = async () => {
    writeFileSync(at.log, '');
    if (at.user) chownSync(at.log, at.user.uid, at.user.gid);
    failure = await program(bin, 'pg_ctl', args, at.user).then(
      () => undefined,
      (error) => error,
    );
    // processes of a killed server end a moment after it
    return !failure || !/pre-existing shared memory block/.test(readIfThere(at.log));
  };
  await until(starts, { limit: 20_000, every: 500 });
  if (!failure) return;
  const log = readIfThere(at.log).trim().split('\n').slice(-15).join('\n');
  const hint = '"npm run reset" drops data that another version of PostgreSQL has made.';
  throw new Error(`${failure.message}\n${log}\n${hint}`, { cause: failure });
}

/**
 * Makes sure that a PostgreSQL runs on the data below HOME, which is created at first use.
 * durable: false is faster and loses data in a crash; inMemory: true keeps them in memory where there is room.
 * Returns its pid, its port, its folder, url(database) and whether it was running already.
 */
export async function startPostgres(home, { durable = true, inMemory = false, preferredPort } = {}) {
  const at = places(home);
  const reused = Boolean(running(at.data));
  if (!reused) {
    const bin = await runnableBinaries(at.base, at.user);
    if (!existsSync(join(at.folder, 'complete'))) await createCluster(bin, at, { inMemory });
    await withFreePort(preferredPort, (port) => launch(bin, at, { durable, port }));
  }
  const { pid, port } = running(at.data);
  const password = readIfThere(at.password);
  return {
    pid,
    port,
    reused,
    folder: at.folder,
    url: (database) => `postgres://postgres:${password}@127.0.0.1:${port}/${database}`,
  };
}

/** Runs WORK with a connection to URL. */
export async function withClient(url, work) {
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {}); // a server that shuts down ends the connection; the next query reports it
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => {});
  }
}

/** Creates DATABASE on the server behind URL unless it has it; waits for a server that is still recovering. */
export async function createDatabase(url, database) {
  const create = async (client) => {
    const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [database]);
    if (!rowCount) await client.query(`CREATE DATABASE ${client.escapeIdentifier(database)}`);
    return true;
  };
  const tried = () =>
    withClient(url, create).catch((error) => {
      if (error.code !== '57P03') throw error; // cannot_connect_now: starting up
      return false;
    });
  await until(tried, { limit: 60_000, every: 100 });
}

/**
 * Creates ROLE on the server at URL unless it exists: it may log in, and `migrate` grants its rights. It has the password in
 * URL, so that HOME needs only one. Returns URL with that role.
 */
export async function createServiceRole(url, role) {
  await withClient(url, async (client) => {
    const { rowCount } = await client.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [role]);
    const password = client.escapeLiteral(new URL(url).password);
    if (!rowCount)
      await client.query(`CREATE ROLE ${client.escapeIdentifier(role)} LOGIN PASSWORD ${password}`);
  });
  return Object.assign(new URL(url), { username: role }).href;
}

/**
 * Ends the PostgreSQL of HOME. Returns whether one ran. isCrash: like a failure of its machine; it recovers from its log at
 * the next start.
 */
export async function stopPostgres(home, { isCrash = false } = {}) {
  const server = running(places(home).data);
  // SIGINT is PostgreSQL's fast shutdown, which aborts transactions and does not wait for clients to disconnect;
  // SIGQUIT is the immediate shutdown
  if (server) await end(server.pid, isCrash ? 'SIGQUIT' : 'SIGINT', 20_000);
  return Boolean(server);
}

/** Removes the stopped PostgreSQL of HOME with its data, in HOME or elsewhere. */
export function dropPostgres(home) {
  const at = places(home);
  if (existsSync(at.data)) rmSync(realpathSync(at.data), { recursive: true });
  rmSync(at.base === home ? at.folder : at.base, { recursive: true, force: true });
}
