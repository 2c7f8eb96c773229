import assert from 'node:assert/strict';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { holders, throwawayInfra } from './infra.mjs';
import { createDatabase, dropPostgres, startPostgres, stopPostgres, withClient } from './postgres.mjs';
import { enterableHome, mayEnter, runnableBinaries } from './postgres-binaries.mjs';
import { freePort } from './ports.mjs';
import { isAlive, until } from '../processes/processes.mjs';
import { startRedis, stopRedis, withRedis } from './redis.mjs';
import { recorded } from '../dev/spec-workspace.mjs';
import { root } from '../workspace.mjs';

const LONG_ENOUGH = { limit: 120_000 };

const folders = [];
after(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

/** Its name is a pattern for shells and Redis. */
function temporaryFolder(mode = 0o711) {
  const folder = mkdtempSync(join(tmpdir(), 'fd-[infra]*?-'));
  folders.push(folder);
  chmodSync(folder, mode);
  return folder;
}

const query = (url, sql) => withClient(url, async (client) => (await client.query(sql)).rows[0]);

describe('local PostgreSQL and Redis', () => {
  let home;
  before(() => (home = temporaryFolder()));
  after(() => Promise.all([stopPostgres(home), stopRedis(home)]));
  const start = () => Promise.all([startPostgres(home), startRedis(home)]);

  it('are reused by a second user, and refuse connections without the password', async () => {
    const first = await start();
    const second = await start();
    for (const [index, { pid, port, reused }] of second.entries())
      assert.deepEqual([pid, port, reused], [first[index].pid, first[index].port, true]);
    const stranger = (url) => url.replace(/:[^:@/]*@/, ':guess@');
    await assert.rejects(query(stranger(first[0].url('postgres')), 'SELECT 1'), { code: '28P01' });
    await assert.rejects(withRedis(stranger(first[1].url), (client) => client.ping()));
  });

  it('keep their data over a restart, and start again after both were killed', async () => {
    const [postgres, store] = await start();
    await createDatabase(postgres.url('postgres'), 'kept');
    await query(postgres.url('kept'), "CREATE TABLE kept AS SELECT 'tomorrow' AS word");
    await withRedis(store.url, (client) => client.set('kept', 'tomorrow'));
    assert.deepEqual(await Promise.all([stopPostgres(home), stopRedis(home)]), [true, true]);
    assert.equal(isAlive(postgres.pid) || isAlive(store.pid), false);

    const [again, storeAgain] = await start();
    assert.deepEqual([again.reused, storeAgain.reused], [false, false]);
    assert.equal((await query(again.url('kept'), 'SELECT word FROM kept')).word, 'tomorrow');
    assert.equal(await withRedis(storeAgain.url, (client) => client.get('kept')), 'tomorrow');

    for (const { pid } of [again, storeAgain]) process.kill(pid, 'SIGKILL');
    await until(() => !isAlive(again.pid) && !isAlive(storeAgain.pid), LONG_ENOUGH);
    const [third, storeThird] = await start();
    await createDatabase(third.url('postgres'), 'kept');
    assert.equal((await query(third.url('kept'), 'SELECT word FROM kept')).word, 'tomorrow');
    assert.equal(await withRedis(storeThird.url, (client) => client.ping()), 'PONG');
  });

  it('take other ports if several start at once on the same', async () => {
    const homes = Array.from({ length: 3 }, () => temporaryFolder());
    const [sqlPort, redisPort] = [await freePort(), await freePort()];
    try {
      const started = await Promise.all(
        homes.map((one) =>
          Promise.all([
            startPostgres(one, { durable: false, preferredPort: sqlPort }),
            startRedis(one, { durable: false, preferredPort: redisPort }),
          ]),
        ),
      );
      const ports = started.flat().map(({ port }) => port);
      assert.equal(new Set(ports).size, 6, String(ports));
      assert.equal(ports.includes(sqlPort) && ports.includes(redisPort), true, String(ports));
      for (const [{ url }] of started) await createDatabase(url('postgres'), 'postgres');
    } finally {
      await Promise.all(homes.flatMap((one) => [stopPostgres(one), stopRedis(one)]));
    }
  });

  it('leave the PostgreSQL of root elsewhere if only root may enter its folder', async (test) => {
    if (process.getuid() !== 0) return test.skip('other users run it as themselves');
    const own = temporaryFolder(0o700);
    const elsewhere = enterableHome(own, { uid: 1, gid: 65_534 });
    assert.equal(mayEnter(elsewhere, { uid: 1 }), true);
    const postgres = await startPostgres(own);
    assert.equal((await query(postgres.url('postgres'), 'SELECT 1 AS one')).one, 1);
    await stopPostgres(own);
    dropPostgres(own);
    assert.equal(existsSync(elsewhere), false);
  });
});

describe('the programs of PostgreSQL', () => {
  it('can be run by its user if the install and the start had a umask of 077', async () => {
    const bin = join(temporaryFolder(0o700), 'native/bin');
    const usual = process.umask(0o077);
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, 'initdb'), '', { mode: 0o700 });
    const copy = await runnableBinaries(temporaryFolder(), { uid: 1 }, bin).finally(() =>
      process.umask(usual),
    );
    assert.equal(mayEnter(join(copy, 'initdb'), { uid: 1 }), true);
  });

  it('say what stands in the way of a user without a name', async (test) => {
    const [uid, home] = [54_321, temporaryFolder(0o755)];
    if (process.getuid() !== 0 || !mayEnter(root, { uid }))
      return test.skip('needs root, and a checkout for all');
    chownSync(home, uid, uid);
    const source = `import { startPostgres } from '${new URL('postgres.mjs', import.meta.url).href}';
      await startPostgres(process.argv[1]).catch(({ message }) => console.log(message));`;
    const args = ['--input-type=module', '-e', source, home];
    const run = recorded(process.execPath, args, { uid, gid: uid, cwd: '/' });
    assert.equal(await run.exited, 0);
    assert.match(run.output, /^PostgreSQL needs a name for user 54321: .* set DATABASE_URL .*\n$/);
  });
});

it('refuses to install in a path from which Node.js and Vite load no modules', async () => {
  const checkout = temporaryFolder();
  cpSync(join(root, 'tools'), join(checkout, 'tools'), { recursive: true });
  const run = recorded(process.execPath, [join(checkout, 'tools/bootstrap.mjs')]);
  assert.equal(await run.exited, 1);
  assert.match(run.output, /^Node\.js and Vite .*: move this checkout\. \(.*\)\n$/);
});

describe('throwaway PostgreSQL and Redis', () => {
  const refuses = (url) =>
    query(url, 'SELECT 1').then(
      () => false,
      (error) => error.code === 'ECONNREFUSED',
    );

  it('leave nothing behind', async () => {
    const infra = await throwawayInfra('spec');
    const settings = "SELECT current_setting('fsync') AS fsync, current_setting('data_directory') AS data";
    const { fsync, data } = await query(infra.databaseUrl, settings);
    const folders = [realpathSync(data), join(infra.temporary, '..')];
    assert.deepEqual([fsync, folders.map(existsSync)], ['off', [true, true]]);
    assert.equal(holders(folders[1])[0].title, 'spec');
    await infra.release();
    assert.deepEqual(folders.map(existsSync), [false, false]);
    assert.equal(await refuses(infra.databaseUrl), true);
  });

  it('leave nothing behind when their user is killed', async () => {
    const source = `
      import { realpathSync } from 'node:fs';
      import { join } from 'node:path';
      import { throwawayInfra } from '${new URL('infra.mjs', import.meta.url).href}';
      const { databaseUrl, temporary } = await throwawayInfra('spec');
      const home = join(temporary, '..');
      console.log(JSON.stringify({ databaseUrl, folders: [home, realpathSync(join(home, 'postgres/data'))] }));
      process.kill(process.pid, 'SIGKILL');`;
    const killed = recorded(process.execPath, ['--input-type=module', '-e', source]);
    assert.equal(await killed.exited, 'SIGKILL', killed.output);
    const { databaseUrl, folders } = JSON.parse(killed.stdout);
    const isGone = async () => !folders.some(existsSync) && (await refuses(databaseUrl));
    assert.equal(await until(isGone, LONG_ENOUGH), true);
  });
});
