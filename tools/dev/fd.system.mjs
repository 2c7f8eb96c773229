import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { freePort } from '../stores/ports.mjs';
import { appFolder } from '../workspace.mjs';
import { makeWorkspace } from './spec-workspace.mjs';

describe('npx fd', () => {
  let workspace;
  before(async () => (workspace = await makeWorkspace()));
  after(() => workspace.remove());

  /** Runs ARGS with SETTINGS. */
  async function fd(settings, ...args) {
    const run = workspace.toolWith(settings, 'dev/fd.mjs', ...args);
    const code = await run.exited;
    return { code, output: run.output, stdout: run.stdout };
  }
  const BY = ['--by', 'a-test', '--reason', 'DEVELOPMENT'];

  it('prints only the output of the command on stdout, works where it was called, and starts no needless database', async () => {
    const INIT_CWD = join(appFolder('master-service'), 'test');
    const { stdout, output } = await fd({ INIT_CWD }, 'quote', '--file', 'quote-vectors.json');
    assert.ok(JSON.parse(stdout), output);
    assert.match((await fd({}, 'migrate', '--help')).stdout, /^Usage: migrate/);
    assert.equal(existsSync(workspace.data), false);
  });

  it('generates no secrets and starts no databases in production', async () => {
    const { code, output } = await fd({ NODE_ENV: 'production' }, 'partners', 'list', ...BY);
    assert.equal(code, 1);
    assert.match(output, /DATABASE_URL: is not set/);
    assert.equal(existsSync(workspace.data), false);
  });

  it('migrates both services, in the development database, which it ends', async () => {
    const { code, stdout } = await fd({}, 'migrate');
    assert.equal(code, 0);
    assert.match(stdout, /CreateIdentity[^]*CreateCatalogue/);
    assert.equal(existsSync(join(workspace.data, 'postgres/data/postmaster.pid')), false);
  });

  it('names the setting of a store that does not answer', async () => {
    const settings = { REDIS_URL: `redis://127.0.0.1:${await freePort()}` };
    const { code, output } = await fd(settings, 'partners', 'list', ...BY);
    assert.equal(code, 1);
    assert.match(output, /Nothing answers at 127\.0\.0\.1:\d+, which REDIS_URL names/);
  });

  it('lists the commands of both services, passes on their exit codes, and refuses others', async () => {
    for (const [args, expected, text] of [
      [[], 0, /^ {2}partners list[^]*^ {2}quote --file FILE$/m],
      [['quote'], 1, /^quote: --file must name a file$/m],
      [['fax'], 2, /"fax" is not a command/],
    ]) {
      const { code, output } = await fd({}, ...args);
      assert.equal(code, expected);
      assert.match(output, text);
    }
  });
});
