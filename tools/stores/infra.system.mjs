import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, afterEach, describe, it } from 'node:test';
import { Redis } from 'ioredis';
import pg from 'pg';
import { addHolder, holders, throwawayInfra } from './infra.mjs';
import { createDatabase, dropPostgres, startPostgres, stopPostgres } from './postgres.mjs';
import { enterableHome, mayEnter } from './postgres-binaries.mjs';
import { finderOf, redisProgram } from './machine-programs.mjs';
import { isAlive, until } from '../processes/processes.mjs';
import { startRedis, stopRedis } from './redis.mjs';

const LONG_ENOUGH = { limit: 30_000 };

function temporaryFolder(mode = 0o711) {
  const folder = mkdtempSync(join(tmpdir(), 'fd-infra-'));
  chmodSync(folder, mode);
  return folder;
}

async function query(url, sql) {
  const client = new pg.Client({ connectionString: url });
  // a server that shuts down ends the connection, which would end the test without a listener
  client.on('error', () => undefined);
  await client.connect();
  return client.query(sql).finally(() => client.end());
}

async function redis(url, work) {
  const client = new Redis(url);
  return work(client).finally(() => client.disconnect());
}

describe('local PostgreSQL and Redis', () => {
  let home;
  before(() => (home = temporaryFolder()));
  after(async () => {
    await Promise.all([stopPostgres(home), stopRedis(home)]);
    rmSync(home, { recursive: true, force: true });
  });

  it('are reused by a second user', async () => {
    const first = await Promise.all([startPostgres(home), startRedis(home)]);
    const second = await Promise.all([startPostgres(home), startRedis(home)]);
    assert.deepEqual(
      first.map(({ reused }) => reused),
      [false, false],
    );
    assert.deepEqual(
      second.map(({ reused }) => reused),
      [true, true],
    );
    assert.deepEqual(
      second.map(({ pid, port }) => [pid, port]),
      first.map(({ pid, port }) => [pid, port]),
    );
  });

  it('keep their data over a restart', async () => {
    const [postgres, store] = await Promise.all([startPostgres(home), startRedis(home)]);
    await createDatabase(postgres.url('postgres'), 'kept');
    await query(postgres.url('kept'), "CREATE TABLE kept AS SELECT 'tomorrow' AS word");
    await redis(store.url, (client) => client.set('kept', 'tomorrow'));
    assert.deepEqual(await Promise.all([stopPostgres(home), stopRedis(home)]), [true, true]);
    assert.equal(isAlive(postgres.pid) || isAlive(store.pid), false);

    const [again, storeAgain] = await Promise.all([startPostgres(home), startRedis(home)]);
    assert.deepEqual([again.reused, storeAgain.reused], [false, false]);
    assert.equal((await query(again.url('kept'), 'SELECT word FROM kept')).rows[0].word, 'tomorrow');
    assert.equal(await redis(storeAgain.url, (client) => client.get('kept')), 'tomorrow');
  });

  it('refuse connections without the password', async () => {
    const [postgres, store] = await Promise.all([startPostgres(home), startRedis(home)]);
    const stranger = (url) => url.replace(/:[^:@/]*@/, ':guess@');
    await assert.rejects(query(stranger(postgres.url('postgres')), 'SELECT 1'), { code: '28P01' });
    const client = new Redis(stranger(store.url), { lazyConnect: true, retryStrategy: null });
    client.on('error', () => {});
    await assert.rejects(client.connect().then(() => client.ping()));
    client.disconnect();
  });

  it('start again after both were killed', async () => {
    const [postgres, store] = await Promise.all([startPostgres(home), startRedis(home)]);
    process.kill(postgres.pid, 'SIGKILL');
    process.kill(store.pid, 'SIGKILL');
    await until(() => !isAlive(postgres.pid) && !isAlive(store.pid), LONG_ENOUGH);
    const [again, storeAgain] = await Promise.all([startPostgres(home), startRedis(home)]);
    await createDatabase(again.url('postgres'), 'kept');
    assert.equal((await query(again.url('kept'), 'SELECT word FROM kept')).rows[0].word, 'tomorrow');
    assert.equal(await redis(storeAgain.url, (client) => client.ping()), 'PONG');
  });
});

describe('a Redis in Docker', () => {
  let home;
  let docker;
  const { PATH, NO_APT } = process.env;
  /** Stands in for Docker: records its arguments and runs the machine's Redis, on this machine only, as a container would be. */
  before(async () => {
    home = temporaryFolder();
    docker = join(home, 'docker');
    const lines = [
      '#!/bin/sh',
      // each replacement leaves the process without a command line for a moment
      'export N=$(( ${N:-300} - 1 )); [ $N -eq 0 ] || exec "$0" "$@"',
      `echo "$@" > ${join(home, 'arguments')}`,
      'for config; do :; done',
      `sed 's/^bind .*/bind 127.0.0.1/' "$config" > "$config.inside"`,
      `exec ${await redisProgram()} "$config.inside"`,
    ];
    writeFileSync(docker, lines.join('\n'), { mode: 0o755 });
  });
  after(async () => {
    await stopRedis(home);
    rmSync(home, { recursive: true, force: true });
  });

  it('is used on a machine with Docker and without Redis', async () => {
    Object.assign(process.env, { PATH: `${home}:${PATH}`, NO_APT: '1' });
    try {
      assert.equal(await finderOf({ names: ['fd-no-redis'], runsInDocker: true })(), docker);
      await assert.rejects(finderOf({ names: ['fd-no-redis'], help: 'Install it.' })(), /Install it/);
    } finally {
      process.env.PATH = PATH;
      if (NO_APT === undefined) delete process.env.NO_APT;
      else process.env.NO_APT = NO_APT;
    }
  });

  it('is published on this machine only, keeps its data in the checkout, and ends like any other', async () => {
    const store = await startRedis(home, { program: docker });
    const folder = join(home, 'redis');
    assert.equal(
      readFileSync(join(home, 'arguments'), 'utf8').trim(),
      `run --rm --publish=127.0.0.1:${store.port}:${store.port} --volume=${folder}:${folder} ` +
        `--user=${process.getuid()}:${process.getgid()} redis:8 redis-server ${join(folder, 'redis.conf')}`,
    );
    await redis(store.url, (client) => client.set('kept', 'yes'));
    assert.equal((await startRedis(home, { program: docker })).pid, store.pid);
    assert.equal(await stopRedis(home), true);
    assert.equal(isAlive(store.pid), false);
    const again = await startRedis(home, { program: docker });
    assert.equal(await redis(again.url, (client) => client.get('kept')), 'yes');
  });

  it('fails with an error that names its log when it does not start', async () => {
    writeFileSync(docker, '#!/bin/sh\necho "Cannot connect to the Docker daemon"; exit 1\n', { mode: 0o755 });
    await stopRedis(home);
    await assert.rejects(startRedis(home, { program: docker }), /does not answer: see .*server\.log/);
    assert.match(readFileSync(join(home, 'redis/server.log'), 'utf8'), /Cannot connect/);
  });
});

describe('a folder that only its owner may enter', () => {
  const stranger = { uid: process.getuid() + 1, gid: 65_534 };
  let home;
  before(() => (home = temporaryFolder(0o700)));
  after(() => rmSync(home, { recursive: true, force: true }));

  it('is recognised, and so are folders below it', () => {
    const below = join(home, 'below');
    mkdirSync(below);
    assert.equal(mayEnter(below, stranger), false);
    chmodSync(home, 0o711);
    assert.equal(mayEnter(below, stranger), true);
    chmodSync(home, 0o700);
  });

  // other users run PostgreSQL as themselves, and may enter their own folders
  if (process.getuid() === 0) {
    it('leaves the PostgreSQL of root in another folder, which is dropped with it', async () => {
      const elsewhere = enterableHome(home, stranger);
      assert.notEqual(elsewhere, home);
      const postgres = await startPostgres(home);
      assert.equal((await query(postgres.url('postgres'), 'SELECT 1 AS one')).rows[0].one, 1);
      assert.equal((await startPostgres(home)).reused, true);
      await stopPostgres(home);
      dropPostgres(home);
      assert.equal(existsSync(elsewhere), false);
    });
  }
});

describe('holders', () => {
  let home;
  beforeEach(() => (home = temporaryFolder()));
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  it('are the living users', async () => {
    const source = `
      import { addHolder } from '${new URL('infra.mjs', import.meta.url).href}';
      addHolder(${JSON.stringify(home)}, 'another');
      console.log('up');
      setInterval(() => {}, 1000);`;
    const stdio = ['ignore', 'pipe', 'inherit'];
    const other = spawn(process.execPath, ['--input-type=module', '-e', source], { stdio });
    await once(other.stdout, 'data');
    addHolder(home, 'this one');
    const titles = () =>
      holders(home)
        .map(({ title }) => title)
        .sort();
    assert.deepEqual(titles(), ['another', 'this one']);
    other.kill('SIGKILL');
    await once(other, 'exit');
    assert.deepEqual(titles(), ['this one']);
    assert.deepEqual(readdirSync(join(home, 'holders')), [String(process.pid)]);
  });
});

describe('throwaway PostgreSQL and Redis', () => {
  const homes = () => readdirSync(tmpdir()).filter((name) => name.startsWith('fd-test-'));

  it('leave nothing behind', async () => {
    const infra = await throwawayInfra('spec');
    const [settings] = (
      await query(
        infra.databaseUrl,
        "SELECT current_setting('fsync') AS fsync, current_setting('data_directory') AS data",
      )
    ).rows;
    assert.equal(settings.fsync, 'off');
    const data = realpathSync(settings.data);
    const { bavail, bsize } = existsSync('/dev/shm') ? statfsSync('/dev/shm') : { bavail: 0, bsize: 0 };
    assert.equal(data.startsWith('/dev/shm/'), bavail * bsize > 2 * 1024 ** 3);
    assert.equal(await redis(infra.redisUrl, (client) => client.ping()), 'PONG');
    const [, folder] = await redis(infra.redisUrl, (client) => client.config('GET', 'dir'));
    assert.equal(existsSync(folder), true);
    await infra.release();
    assert.deepEqual([existsSync(join(folder, '..')), existsSync(data)], [false, false]);
    await assert.rejects(query(infra.databaseUrl, 'SELECT 1'), { code: 'ECONNREFUSED' });
  });

  it('leave nothing behind when their user is killed', async () => {
    const source = `
      import { realpathSync } from 'node:fs';
      import { join } from 'node:path';
      import { throwawayInfra } from '${new URL('infra.mjs', import.meta.url).href}';
      const infra = await throwawayInfra('spec');
      console.log(JSON.stringify({ ...infra, data: realpathSync(join(infra.temporary, '../postgres/data')) }));
      process.kill(process.pid, 'SIGKILL');`;
    const stdio = ['ignore', 'pipe', 'inherit'];
    const child = spawn(process.execPath, ['--input-type=module', '-e', source], { stdio });
    let output = '';
    child.stdout.on('data', (text) => (output += text));
    await once(child, 'close');
    const { databaseUrl, data } = JSON.parse(output);
    const refuses = () =>
      query(databaseUrl, 'SELECT 1').then(
        () => false,
        (error) => error.code === 'ECONNREFUSED',
      );
    assert.equal(await until(refuses, LONG_ENOUGH), true);
    const isGone = () =>
      !homes().some((name) => existsSync(join(tmpdir(), name, 'holders', String(child.pid)))) &&
      !existsSync(data);
    assert.equal(await until(isGone, LONG_ENOUGH), true);
  });
});
