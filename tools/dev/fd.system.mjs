import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { freePort } from '../stores/ports.mjs';
import { build } from '../build/build.mjs';
import { appFolder } from '../workspace.mjs';
import { makeWorkspace } from './spec-workspace.mjs';

const UTF8 = { encoding: 'utf8' };

describe('npx fd', () => {
  let workspace;
  before(async () => (workspace = await makeWorkspace()));
  after(() => workspace.remove());

  it('prints only the output of the command on stdout, even when everything must be built first', async () => {
    const quote = workspace.tool('dev/fd.mjs', 'quote', '--file', 'vectors.json');
    assert.equal(await quote.exited, 0);
    assert.deepEqual(JSON.parse(quote.stdout).args, ['quote', '--file', 'vectors.json']);
    assert.match(quote.output, /Stub of the bootstrap/);
  });

  it('starts no databases for a command that needs none', () => {
    assert.equal(existsSync(join(workspace.folder, '.data/postgres')), false);
  });

  it('works in the folder in which it was called', async () => {
    const folder = join(workspace.folder, 'apps');
    const quote = workspace.toolWith({ INIT_CWD: folder }, 'dev/fd.mjs', 'quote');
    assert.equal(await quote.exited, 0);
    assert.equal(JSON.parse(quote.stdout).cwd, folder);
  });

  it('migrates both services, in the development database', async () => {
    const migrate = workspace.tool('dev/fd.mjs', 'migrate');
    assert.equal(await migrate.exited, 0);
    const calls = migrate.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      calls.map(({ args }) => args),
      [['migrate'], ['migrate']],
    );
    for (const { database } of calls) assert.match(database, /^postgres:\/\/.*@127\.0\.0\.1:\d+\/fd$/);
    assert.equal(existsSync(join(workspace.folder, '.data/postgres/data/postmaster.pid')), false);
  });

  it('uses the database that the environment names', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address();
    const settings = {
      DATABASE_URL: `postgres://127.0.0.1:${port}/db`,
      REDIS_URL: `redis://127.0.0.1:${port}`,
    };
    const list = workspace.toolWith(settings, 'dev/fd.mjs', 'partners', 'list');
    const code = await list.exited;
    server.close();
    assert.equal(code, 0);
    assert.equal(JSON.parse(list.stdout).database, settings.DATABASE_URL);
  });

  it('names the setting of a store that does not answer', async () => {
    const settings = { REDIS_URL: `redis://127.0.0.1:${await freePort()}` };
    const list = workspace.toolWith(settings, 'dev/fd.mjs', 'partners', 'list');
    assert.equal(await list.exited, 1);
    assert.match(list.output, /Nothing answers at 127\.0\.0\.1:\d+, which REDIS_URL names/);
  });

  it('generates no secrets and starts no databases in production', async () => {
    const settings = { NODE_ENV: 'production' };
    const list = workspace.toolWith(settings, 'dev/fd.mjs', 'partners', 'list');
    assert.equal(await list.exited, 0);
    assert.equal(JSON.parse(list.stdout).database, undefined);
  });

  it('passes on the exit code, and stops at the first service that fails', async () => {
    const failing = workspace.tool('dev/fd.mjs', 'migrate', '--fail');
    assert.equal(await failing.exited, 9);
    assert.equal(failing.output.match(/failed on purpose/g).length, 1);
  });

  it('lists exactly the commands of both services, and refuses others', async () => {
    await build(['users-service', 'master-service']);
    const namesIn = (text) => [...text.matchAll(/^ {2}([a-z]\S+)/gm)].map(([, name]) => name);
    const own = ['users-service', 'master-service'].flatMap((service) => {
      const { stderr } = spawnSync(process.execPath, [join(appFolder(service), 'dist/cli.js')], UTF8);
      return namesIn(stderr);
    });
    const list = workspace.tool('dev/fd.mjs');
    assert.equal(await list.exited, 0);
    assert.deepEqual(namesIn(list.stdout).sort(), [...new Set(own)].sort());
    const other = workspace.tool('dev/fd.mjs', 'fax');
    assert.equal(await other.exited, 2);
    assert.match(other.output, /"fax" is not a command/);
  });

  it('asks one service for the usage of a command, without a database', async () => {
    const help = workspace.tool('dev/fd.mjs', 'migrate', '--help');
    assert.equal(await help.exited, 0);
    assert.deepEqual(JSON.parse(help.stdout), { args: ['migrate', '--help'], cwd: workspace.folder });
  });
});
