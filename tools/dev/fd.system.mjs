import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { build } from '../build/build.mjs';
import { freePort } from '../stores/ports.mjs';
import { appFolder } from '../workspace.mjs';
import { makeWorkspace } from './spec-workspace.mjs';

describe('npx fd', () => {
  let workspace;
  before(async () => (workspace = await makeWorkspace()));
  after(() => workspace.remove());

  /** Runs ARGS; returns the exit code, the output, and what the stub of the command printed. */
  async function fd(settings, ...args) {
    const run = workspace.toolWith(settings, 'dev/fd.mjs', ...args);
    const code = await run.exited;
    const calls = run.stdout.match(/^\{.*\}$/gm) ?? [];
    return { code, output: run.output, stdout: run.stdout, calls: calls.map((line) => JSON.parse(line)) };
  }

  it('prints only the output of the command on stdout, works where it was called, and starts no needless database', async () => {
    const cwd = join(workspace.folder, 'apps');
    const { stdout, output, calls } = await fd({ INIT_CWD: cwd }, 'quote', '--file', 'vectors.json');
    assert.deepEqual(calls, [{ args: ['quote', '--file', 'vectors.json'], cwd }]);
    assert.deepEqual(JSON.parse(stdout), calls[0]);
    assert.match(output, /Stub of the bootstrap/);
    const help = await fd({}, 'migrate', '--help');
    assert.deepEqual(help.calls, [{ args: ['migrate', '--help'], cwd: workspace.folder }]);
    assert.equal(existsSync(join(workspace.folder, '.data/postgres')), false);
  });

  it('migrates both services, in the development database, which it ends', async () => {
    const { code, calls } = await fd({}, 'migrate');
    assert.deepEqual([code, calls.map(({ args }) => args)], [0, [['migrate'], ['migrate']]]);
    for (const { database } of calls) assert.match(database, /^postgres:\/\/.*@127\.0\.0\.1:\d+\/fd$/);
    assert.equal(existsSync(join(workspace.folder, '.data/postgres/data/postmaster.pid')), false);
  });

  it('names the setting of a store that does not answer', async () => {
    const settings = { REDIS_URL: `redis://127.0.0.1:${await freePort()}` };
    const { code, output } = await fd(settings, 'partners', 'list');
    assert.equal(code, 1);
    assert.match(output, /Nothing answers at 127\.0\.0\.1:\d+, which REDIS_URL names/);
  });

  it('generates no secrets and starts no databases in production', async () => {
    const { code, calls } = await fd({ NODE_ENV: 'production' }, 'partners', 'list');
    assert.deepEqual([code, calls[0].database], [0, undefined]);
  });

  it('passes on the exit code, and stops at the first service that fails', async () => {
    const { code, output } = await fd({}, 'migrate', '--fail');
    assert.equal(code, 9);
    assert.equal(output.match(/failed on purpose/g).length, 1);
  });

  it('lists exactly the commands of both services, and refuses others', async () => {
    await build(['users-service', 'master-service']);
    const namesIn = (text) => [...text.matchAll(/^ {2}([a-z]\S+)/gm)].map(([, name]) => name);
    const own = ['users-service', 'master-service'].flatMap((service) => {
      const cli = join(appFolder(service), 'dist/cli.js');
      return namesIn(spawnSync(process.execPath, [cli], { encoding: 'utf8' }).stderr);
    });
    assert.deepEqual(namesIn((await fd({})).stdout).sort(), [...new Set(own)].sort());
    const other = await fd({}, 'fax');
    assert.equal(other.code, 2);
    assert.match(other.output, /"fax" is not a command/);
  });
});
