import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { freePort } from '../stores/ports.mjs';
import { makeWorkspace } from './spec-workspace.mjs';

describe('command lines of the services', () => {
  let workspace;
  before(async () => (workspace = await makeWorkspace()));
  after(() => workspace.remove());

  it('print only the output of the command on stdout, even when everything must be built first', async () => {
    const quote = workspace.tool('dev/run-cli.mjs', 'master-service', 'quote', '--file', 'vectors.json');
    assert.equal(await quote.exited, 0);
    assert.deepEqual(JSON.parse(quote.stdout).args, ['quote', '--file', 'vectors.json']);
    assert.match(quote.output, /Installing everything/);
  });

  it('start no databases for a command that needs none', () => {
    assert.equal(existsSync(join(workspace.folder, '.data/postgres')), false);
  });

  it('work in the folder in which npm was called', async () => {
    const folder = join(workspace.folder, 'apps');
    const quote = workspace.toolWith({ INIT_CWD: folder }, 'dev/run-cli.mjs', 'master-service', 'quote');
    assert.equal(await quote.exited, 0);
    assert.equal(JSON.parse(quote.stdout).cwd, folder);
  });

  it('run on each service that was named, with the development database', async () => {
    const migrate = workspace.tool('dev/run-cli.mjs', 'users-service,master-service', 'migrate');
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

  it('use the database that the environment names', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address();
    const settings = {
      DATABASE_URL: `postgres://127.0.0.1:${port}/db`,
      REDIS_URL: `redis://127.0.0.1:${port}`,
    };
    const list = workspace.toolWith(settings, 'dev/run-cli.mjs', 'users-service', 'partners', 'list');
    const code = await list.exited;
    server.close();
    assert.equal(code, 0);
    assert.equal(JSON.parse(list.stdout).database, settings.DATABASE_URL);
  });

  it('name the setting of a store that does not answer', async () => {
    const settings = { REDIS_URL: `redis://127.0.0.1:${await freePort()}` };
    const list = workspace.toolWith(settings, 'dev/run-cli.mjs', 'users-service', 'partners', 'list');
    assert.equal(await list.exited, 1);
    assert.match(list.output, /Nothing answers at 127\.0\.0\.1:\d+, which REDIS_URL names/);
  });

  it('generate no secrets and start no databases in production', async () => {
    const settings = { NODE_ENV: 'production' };
    const list = workspace.toolWith(settings, 'dev/run-cli.mjs', 'users-service', 'partners', 'list');
    assert.equal(await list.exited, 0);
    assert.equal(JSON.parse(list.stdout).database, undefined);
  });

  it('pass on the exit code, and stop at the first service that fails', async () => {
    const failing = workspace.tool('dev/run-cli.mjs', 'users-service,master-service', 'migrate', '--fail');
    assert.equal(await failing.exited, 9);
    assert.equal(failing.output.match(/failed on purpose/g).length, 1);
  });
});
