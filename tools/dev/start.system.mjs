import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { readIfThere } from '../files.mjs';
import { isFree } from '../stores/ports.mjs';
import { isAlive, until } from '../processes/processes.mjs';
import { makeWorkspace } from './spec-workspace.mjs';

describe('npm start', () => {
  let workspace;
  before(async () => (workspace = await makeWorkspace()));
  after(() => workspace.remove());

  const get = async (service, path = '/') =>
    (await fetch(`http://127.0.0.1:${workspace.ports[service]}${path}`)).json();
  const file = (...parts) => join(workspace.folder, ...parts);
  const started = async (settings = {}) => {
    const start = workspace.toolWith(settings, 'dev/start.mjs');
    await start.shows('curl -i');
    return start;
  };
  const living = () => {
    const services = Object.keys(workspace.ports).map((name) => file('apps', name, 'pid'));
    const all = [file('.data/postgres/data/postmaster.pid'), file('.data/redis/redis.pid'), ...services];
    return all.map((path) => Number.parseInt(readIfThere(path))).filter(isAlive);
  };
  const stopped = async (start, signal = 'SIGTERM') => {
    const pids = living();
    assert.equal(pids.length, 5);
    start.child.kill(signal);
    const code = await start.exited;
    if (signal === 'SIGKILL') await until(() => !pids.some(isAlive), { limit: 30_000 });
    assert.deepEqual(pids.filter(isAlive), []);
    return code;
  };

  afterEach(async () => {
    for (const [service, port] of Object.entries(workspace.ports))
      assert.equal(await isFree(port), true, service);
  });

  it('starts everything, refuses a second start and a reset, and ends everything', async () => {
    const start = await started();
    for (const service of Object.keys(workspace.ports)) assert.equal((await get(service)).version, 1);
    assert.match(start.output, /users-service: warn loud line/);
    assert.doesNotMatch(start.output, /quiet line/);
    assert.match(readFileSync(file('.data/logs/sandbox.log'), 'utf8'), /quiet line/);
    for (const [tool, code, text] of [
      ['dev/start.mjs', 0, /running in this checkout \(pid \d+\)[^]*USERS_PORT=\d+ \S+ \S+ npm run demo/],
      ['dev/reset.mjs', 1, /Not while "npm start" \(pid \d+\) runs/],
    ]) {
      const other = workspace.tool(tool);
      assert.equal(await other.exited, code);
      assert.match(other.output, text);
    }
    assert.equal(await stopped(start, 'SIGINT'), 0);
  });

  it('builds and migrates nothing again, until something has changed; its secrets stay, and are private', async () => {
    const built = () =>
      ['users-service/dist/main.js', 'console/dist/index.html'].map(
        (path) => statSync(file(`apps/${path}`)).mtimeMs,
      );
    const secrets = () => JSON.parse(readFileSync(file('.data/dev-env.json'), 'utf8'));
    // as a cache restores it
    utimesSync(file('apps/console/dist/index.html'), 0, 0);
    const earlier = [built(), secrets()];
    const again = await started();
    assert.equal((await get('users-service')).jwt, secrets().JWT_KEYS);
    await stopped(again);
    assert.equal(again.output.match(/its database is up to date/g).length, 2);
    assert.deepEqual([built(), secrets()], earlier);
    for (const secret of ['dev-env.json', 'partners/app.private.jwk.json', 'redis/redis.conf'])
      assert.equal(statSync(file('.data', secret)).mode & 0o077, 0, secret);

    writeFileSync(file('apps/console/src/main.tsx'), '');
    writeFileSync(
      file('apps/master-service/src/cli.js'),
      `${readFileSync(file('apps/master-service/src/cli.js'))};`,
    );
    const changed = await started();
    await stopped(changed);
    assert.match(changed.output, /users-service: its database is up to date/);
    assert.match(changed.output, /master-service: migrate[^]*master-service: catalogue:import/);
    assert.notEqual(built()[1], earlier[0][1]);
  });

  it('leaves nothing running when it is killed', async () => {
    await stopped(await started(), 'SIGKILL');
  });

  it('stops everything when a service exits or does not boot, and shows the end of its log', async () => {
    const start = await started();
    await get('master-service', '/die').catch(() => {});
    assert.equal(await start.exited, 1);
    assert.match(start.output, /master-service ended unexpectedly \(exit code 7\)[^]*loud line/);
    assert.deepEqual(living(), []);
    const other = workspace.toolWith({ BREAK_AT_BOOT: 'users-service' }, 'dev/start.mjs');
    assert.equal(await other.exited, 1);
    assert.match(other.output, /users-service did not become ready[^]*cannot boot: broken on purpose/);
  });

  it('stops immediately on a signal during startup', async () => {
    const start = workspace.tool('dev/start.mjs');
    await start.shows('PostgreSQL started');
    start.child.kill('SIGTERM');
    assert.equal(await start.exited, 143);
  });

  it('names a taken port and what to do', async () => {
    const port = workspace.furtherPorts.SMTP_PORT;
    const other = createServer();
    await new Promise((done) => other.listen(port, '127.0.0.1', done));
    const start = workspace.tool('dev/start.mjs');
    assert.equal(await start.exited, 1);
    assert.match(start.output, new RegExp(`Port ${port}, which sandbox needs, is taken`));
    assert.match(start.output, /SANDBOX_SMTP_PORT=\d+ npm start/);
    await new Promise((done) => other.close(done));
  });

  it('prints its usage without an install, and refuses unknown arguments', async () => {
    for (const [argument, code, text] of [
      ['--help', 0, /^npm start \[-- OPTIONS\][^]*USERS_PORT[^]*DATABASE_URL/],
      ['--verbos', 2, /Unknown option '--verbos'/],
      ['--vendors=setu,acme', 2, /"acme" is not one of cashfree, setu, msg91, twilio, aws, fineract/],
    ]) {
      const start = workspace.tool('dev/start.mjs', argument);
      assert.equal(await start.exited, code);
      assert.match(start.output, text);
      assert.doesNotMatch(start.output, /Stub of the bootstrap/);
    }
  });

  it('shows compile errors', async () => {
    writeFileSync(file('apps/sandbox/src/main.js'), 'const = 1;');
    const start = workspace.tool('dev/start.mjs');
    assert.equal(await start.exited, 1);
    assert.match(start.output, /does not compile:[^]*apps\/sandbox\/src\/main\.js/);
  });

  it('deletes its data with npm run reset', async () => {
    assert.equal(await workspace.tool('dev/reset.mjs').exited, 0);
    assert.equal(existsSync(file('.data')), false);
  });
});
