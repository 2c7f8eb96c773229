import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { isFree } from '../stores/ports.mjs';
import { isAlive, until } from '../processes/processes.mjs';
import { vendorSettings } from './dev-env.mjs';
import { makeWorkspace } from './spec-workspace.mjs';

const LONG_ENOUGH = { limit: 30_000 };
const READY = 'curl -i';

describe('npm start', () => {
  let workspace;
  before(async () => (workspace = await makeWorkspace()));
  after(() => workspace.remove());

  const get = async (service, path = '/') =>
    (await fetch(`http://127.0.0.1:${workspace.ports[service]}${path}`)).json();
  const file = (...parts) => join(workspace.folder, ...parts);
  const pidOf = (service) => Number(readFileSync(file('apps', service, 'pid'), 'utf8'));
  const allPids = () => {
    const [postgres] = readFileSync(file('.data/postgres/data/postmaster.pid'), 'utf8').split('\n');
    const redis = readFileSync(file('.data/redis/redis.pid'), 'utf8');
    return [Number(postgres), Number(redis), ...Object.keys(workspace.ports).map(pidOf)];
  };
  const allAreGone = (pids) => until(() => !pids.some(isAlive), LONG_ENOUGH);

  afterEach(async () => {
    for (const [service, port] of Object.entries(workspace.ports))
      assert.equal(await isFree(port), true, service);
  });

  it('starts everything, refuses a second start, and ends everything', async () => {
    const start = workspace.tool('dev/start.mjs');
    await start.shows(READY);
    for (const service of Object.keys(workspace.ports)) assert.equal((await get(service)).version, 1);
    assert.match(start.output, /users-service: warn loud line/);
    assert.doesNotMatch(start.output, /quiet line/);
    assert.match(readFileSync(file('.data/logs/sandbox.log'), 'utf8'), /quiet line/);

    const second = workspace.tool('dev/start.mjs');
    assert.equal(await second.exited, 0);
    assert.match(second.output, new RegExp(`running in this checkout \\(pid ${start.child.pid}\\)`));
    assert.match(second.output, new RegExp(`http://localhost:${workspace.ports.sandbox}`));

    const reset = workspace.tool('dev/reset.mjs');
    assert.equal(await reset.exited, 1);
    assert.match(reset.output, /Not while "npm start" \(pid \d+\) runs/);

    const pids = allPids();
    start.child.kill('SIGINT');
    assert.equal(await start.exited, 0);
    assert.deepEqual(
      pids.filter((pid) => isAlive(pid)),
      [],
    );
  });

  it('builds, migrates and loads nothing again at the second start, until something has changed', async () => {
    const PREPARED = /users-service: migrate|master-service: (migrate|catalogue:import)/;
    const built = () =>
      ['users-service/dist/main.js', 'console/dist/index.html'].map(
        (path) => statSync(file(`apps/${path}`)).mtimeMs,
      );
    const startOnce = async () => {
      const start = workspace.tool('dev/start.mjs');
      await start.shows(READY);
      start.child.kill('SIGTERM');
      assert.equal(await start.exited, 0);
      return start.output;
    };
    // as a cache restores it
    utimesSync(file('apps/console/dist/index.html'), 0, 0);
    const before = built();
    const second = await startOnce();
    assert.match(second, /users-service: its database is up to date/);
    assert.match(second, /master-service: its database is up to date/);
    assert.doesNotMatch(second, PREPARED);
    assert.doesNotMatch(second, /install|download|unpack/i);
    assert.deepEqual(built(), before);

    mkdirSync(file('apps/master-service/catalogue'), { recursive: true });
    writeFileSync(file('apps/master-service/catalogue/kaveri.yaml'), 'rate: 1');
    writeFileSync(file('apps/console/src/main.tsx'), '');
    const changed = await startOnce();
    assert.match(changed, /users-service: its database is up to date/);
    assert.match(changed, /master-service: migrate[^]*master-service: catalogue:import/);
    assert.doesNotMatch(changed, /master-service: its database is up to date/);
    assert.notEqual(built()[1], before[1]);
  });

  it('keeps its secrets private, and the same over restarts', async () => {
    const secrets = () => JSON.parse(readFileSync(file('.data/dev-env.json'), 'utf8'));
    const earlier = secrets();
    const start = workspace.tool('dev/start.mjs');
    await start.shows(READY);
    assert.deepEqual(secrets(), earlier);
    const { jwt, mail } = await get('users-service');
    assert.equal(jwt, earlier.JWT_KEYS);
    // mail goes to the sandbox
    assert.equal(mail, `smtp://127.0.0.1:${workspace.furtherPorts.SMTP_PORT}`);
    // and the service follows the sandbox's clock, which a reset sets back
    assert.equal((await get('users-service')).clock, `http://127.0.0.1:${workspace.ports.sandbox}/api/clock`);
    assert.equal((await get('sandbox')).clockFile, file('.data/clock.json'));
    assert.equal((await get('sandbox')).smtp, String(workspace.furtherPorts.SMTP_PORT));
    for (const secret of ['dev-env.json', 'partners/app.private.jwk.json', 'redis/redis.conf']) {
      assert.equal(statSync(file('.data', secret)).mode & 0o077, 0, secret);
    }
    start.child.kill('SIGTERM');
    assert.equal(await start.exited, 0);
  });

  it('leaves nothing running when it is killed', async () => {
    const start = workspace.tool('dev/start.mjs');
    await start.shows(READY);
    const pids = allPids();
    start.child.kill('SIGKILL');
    await start.exited;
    assert.equal(await allAreGone(pids), true);
  });

  it('stops everything when a service exits, and shows the end of its log', async () => {
    const start = workspace.tool('dev/start.mjs');
    await start.shows(READY);
    const pids = allPids();
    await get('master-service', '/die').catch(() => {});
    assert.equal(await start.exited, 1);
    assert.match(start.output, /master-service ended unexpectedly \(exit code 7\)[^]*loud line/);
    assert.deepEqual(
      pids.filter((pid) => isAlive(pid)),
      [],
    );
  });

  it('says why a service does not become ready', async () => {
    const start = workspace.toolWith({ BREAK_AT_BOOT: 'users-service' }, 'dev/start.mjs');
    assert.equal(await start.exited, 1);
    assert.match(start.output, /users-service did not become ready[^]*cannot boot: broken on purpose/);
  });

  it('stops immediately on a signal during startup', async () => {
    const start = workspace.tool('dev/start.mjs');
    await start.shows('PostgreSQL started');
    start.child.kill('SIGTERM');
    assert.equal(await start.exited, 143);
    assert.doesNotMatch(start.output, /failed/);
  });

  it('names a taken port and what to do', async () => {
    const port = workspace.ports['master-service'];
    const other = createServer();
    await new Promise((done) => other.listen(port, '127.0.0.1', done));
    const start = workspace.tool('dev/start.mjs');
    assert.equal(await start.exited, 1);
    assert.match(start.output, new RegExp(`Port ${port}, which master-service needs, is taken`));
    assert.match(start.output, /MASTER_PORT=\d+ npm start/);
    await new Promise((done) => other.close(done));
  });

  it('names a taken further port of a service', async () => {
    const port = workspace.furtherPorts.SMTP_PORT;
    const other = createServer();
    await new Promise((done) => other.listen(port, '127.0.0.1', done));
    const start = workspace.tool('dev/start.mjs');
    assert.equal(await start.exited, 1);
    assert.match(start.output, new RegExp(`Port ${port}, which sandbox needs, is taken`));
    assert.match(start.output, /SANDBOX_SMTP_PORT=\d+ npm start/);
    await new Promise((done) => other.close(done));
  });

  it('prints its usage and refuses unknown arguments', async () => {
    const help = workspace.tool('dev/start.mjs', '--help');
    assert.equal(await help.exited, 0);
    for (const word of [
      'USERS_PORT',
      'MASTER_PORT',
      'SANDBOX_PORT',
      'SANDBOX_HTTPS_PORT',
      'SANDBOX_SMTP_PORT',
      'DATABASE_URL',
      'REDIS_URL',
      '--verbose',
      '--vendors',
    ]) {
      assert.match(help.stdout, new RegExp(word));
    }
    const wrong = workspace.tool('dev/start.mjs', '--verbos');
    assert.equal(await wrong.exited, 2);
    assert.match(wrong.output, /Unknown option '--verbos'/);
    const stranger = workspace.tool('dev/start.mjs', '--vendors=setu,acme');
    assert.equal(await stranger.exited, 2);
    assert.match(stranger.output, /"acme" is not one of cashfree, setu, msg91, twilio, aws, fineract/);
  });

  it('selects the named vendors in their order', () => {
    assert.deepEqual(vendorSettings(['setu', 'msg91', 'cashfree']), {
      PAN_PROVIDERS: 'setu,cashfree',
      BANK_PROVIDERS: 'setu,cashfree',
      LOCKER_PROVIDERS: 'setu,cashfree',
      EKYC_PROVIDERS: 'cashfree',
      SMS_PROVIDERS: 'msg91',
    });
    assert.deepEqual(vendorSettings([]), {});
    const { ISSUER_API_OVERRIDES, ...others } = vendorSettings(['fineract']);
    assert.deepEqual(others, {});
    assert.deepEqual(Object.keys(JSON.parse(ISSUER_API_OVERRIDES)), [
      'aravalli',
      'kaveri',
      'nilgiri',
      'vindhya',
    ]);
  });

  it('shows compile errors', async () => {
    const source = file('apps/sandbox/src/main.js');
    const good = readFileSync(source, 'utf8');
    writeFileSync(source, 'const = 1;');
    const start = workspace.tool('dev/start.mjs');
    assert.equal(await start.exited, 1);
    assert.match(start.output, /does not compile:[^]*apps\/sandbox\/src\/main\.js/);
    writeFileSync(source, good);
  });

  it('deletes its data with npm run reset', async () => {
    assert.equal(existsSync(file('.data')), true);
    assert.equal(await workspace.tool('dev/reset.mjs').exited, 0);
    assert.equal(existsSync(file('.data')), false);
  });
});
