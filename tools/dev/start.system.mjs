import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { readIfThere } from '../files.mjs';
import { isFree } from '../stores/ports.mjs';
import { isAlive, isOk, until } from '../processes/processes.mjs';
import { makeWorkspace } from './spec-workspace.mjs';
import { services } from '../workspace.mjs';

const EVENT_SECRETS = 'postgres/app.events.json';

describe('npm start', { timeout: 1_200_000 }, () => {
  let workspace;
  before(async () => (workspace = await makeWorkspace()));
  after(() => workspace.remove());
  afterEach(async () => {
    // those of a failed test too
    await workspace.endAll();
    for (const port of Object.values(workspace.ports))
      assert.equal(await until(() => isFree(Number(port)), { limit: 30_000 }), true, port);
  });

  const file = (...parts) => join(workspace.data, ...parts);
  const started = async (...args) => {
    const start = workspace.tool('dev/start.mjs', ...args);
    // the first one compiles
    await start.shows('curl -i', 240_000);
    return start;
  };
  /** The processes of the services that START runs, which have their names. */
  const servicesOf = ({ child }) =>
    execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' })
      .split('\n')
      .map((line) => line.trim().split(/ +/))
      .filter(([, parent, name]) => Number(parent) === child.pid && services.includes(name))
      .map(([pid]) => Number(pid));
  const storePids = () =>
    ['postgres/data/postmaster.pid', 'redis/redis.pid'].map((name) =>
      Number.parseInt(readIfThere(file(name))),
    );
  const stopped = async (start, signal = 'SIGTERM') => {
    const pids = [...servicesOf(start), ...storePids()];
    assert.equal(pids.length, 5);
    start.child.kill(signal);
    const code = await start.exited;
    if (signal === 'SIGKILL') await until(() => !pids.some(isAlive), { limit: 120_000 });
    assert.deepEqual(pids.filter(isAlive), []);
    return code;
  };

  it('starts everything, refuses a second start and a reset, and ends everything', async () => {
    const start = await started();
    for (const name of ['USERS_PORT', 'MASTER_PORT', 'SANDBOX_PORT'])
      await until(() => isOk(`http://127.0.0.1:${workspace.ports[name]}/health/ready`), { limit: 120_000 });
    assert.match(readFileSync(file('logs/sandbox.log'), 'utf8'), /"level":"info"/);
    assert.doesNotMatch(start.output, /: info /);
    const { USERS_PORT, MASTER_PORT, SANDBOX_PORT } = workspace.ports;
    const hint = `USERS_PORT=${USERS_PORT} MASTER_PORT=${MASTER_PORT} SANDBOX_PORT=${SANDBOX_PORT} npm run demo`;
    const elsewhere = { USERS_PORT: '', MASTER_PORT: '', SANDBOX_PORT: '' };
    for (const [settings, code, text, ...tool] of [
      [elsewhere, 0, new RegExp(`running in this checkout \\(pid \\d+\\)[^]*${hint}`), 'dev/start.mjs'],
      [{ USERS_PORT: '1' }, 1, /end it first/, 'dev/start.mjs'],
      [{}, 1, /with --vendors=\(none\): end it first/, 'dev/start.mjs', '--vendors=setu'],
      [{}, 1, /Not while "npm start" \(pid \d+\) runs/, 'dev/reset.mjs'],
    ]) {
      const other = workspace.toolWith(settings, ...tool);
      assert.equal(await other.exited, code);
      assert.match(other.output, text);
    }
    assert.equal(await stopped(start, 'SIGINT'), 0);
  });

  it('prepares a database again only if something has changed; its secrets stay, and are private', async () => {
    const secrets = () => ['dev-env.json', EVENT_SECRETS].map((name) => readFileSync(file(name), 'utf8'));
    const before = secrets();
    writeFileSync(file('postgres/master-service.prepared'), 'another version');
    const again = await started();
    assert.match(again.output, /users-service: its database is up to date/);
    assert.match(again.output, /master-service: migrate[^]*master-service: catalogue:import/);
    assert.deepEqual(secrets(), before);
    const files = ['dev-env.json', EVENT_SECRETS, 'partners/app.private.jwk.json', 'redis/redis.conf'];
    for (const secret of files) assert.equal(statSync(file(secret)).mode & 0o077, 0, secret);
    await stopped(again, 'SIGKILL');
  });

  it('completes a journey over the adapters of vendors, whatever variables a shell has for others', async () => {
    const variables = {
      ...{ PGSSLMODE: 'require', PGOPTIONS: '-c unknown=1', PGHOST: 'nowhere', NODE_PG_FORCE_NATIVE: '1' },
      // nothing listens there
      ...{ NODE_USE_ENV_PROXY: '1', HTTP_PROXY: 'http://127.0.0.1:9', http_proxy: 'http://127.0.0.1:9' },
      DEBUG: '*',
    };
    const start = workspace.toolWith(variables, 'dev/start.mjs', '--vendors=setu,msg91,fineract');
    await start.shows('curl -i', 240_000);
    const demo = workspace.toolWith(variables, 'dev/demo.mjs');
    assert.equal(await demo.exited, 0, demo.output);
    const url = `http://127.0.0.1:${workspace.ports.SANDBOX_PORT}/api`;
    const get = async (path) => (await fetch(`${url}/${path}`)).json();
    const kindsOf = async (provider) =>
      (await get(`effects?provider=${provider}`)).effects.map(({ kind }) => kind).sort();
    assert.deepEqual(await kindsOf('setu'), ['pan', 'penny_drop']);
    assert.deepEqual(await kindsOf('issuer:aravalli'), ['account_registration', 'customer']);
    const [sms] = (await get('messages')).messages.filter(({ channel }) => channel === 'sms');
    assert.match(sms.text, /^Template login_otp, code: \d{6}, minutes: \d+$/);
    // the partner's backend has the secret and the key of the first start
    const told = async () => {
      const { tries } = await get('partner-events/deliveries');
      return tries.some(({ body }) => body.includes('application.ready')) && tries;
    };
    const tries = (await until(told, { limit: 120_000 })) ?? [];
    assert.deepEqual(new Set(tries.map((one) => one.signature_problem)), new Set([null]));
    const { events, problem } = await get('partner-events');
    assert.deepEqual([events[0].event.type, problem], ['application.ready', null]);
    const { secret, key } = JSON.parse(readFileSync(file(EVENT_SECRETS), 'utf8'));
    const [, password] = readFileSync(file('redis/redis.conf'), 'utf8').match(/^requirepass (\S+)$/m);
    const logs = services.map((name) => readFileSync(file(`logs/${name}.log`), 'utf8'));
    for (const text of [start.output, ...logs]) {
      assert.doesNotMatch(text, new RegExp(`${password}| router `));
      assert.equal(
        [secret, key].some((one) => text.includes(one)),
        false,
      );
    }
    await stopped(start);
  });

  it('stops everything when a service exits or does not boot, and shows the end of its log', async () => {
    const start = await started();
    const pids = [...servicesOf(start), ...storePids()];
    process.kill(pids[0], 'SIGKILL');
    assert.equal(await start.exited, 1);
    assert.match(start.output, /\w+ ended \(SIGKILL\). The end of its log, \S+\.log:/);
    assert.deepEqual(pids.filter(isAlive), []);
    const other = workspace.toolWith({ SMS_PRIMARY_URL: 'nonsense' }, 'dev/start.mjs');
    assert.equal(await other.exited, 1);
    const text = /users-service ended \(exit code 1\). The end of its log, \S+\.log:[^]*SMS_PRIMARY_URL/;
    assert.match(other.output, text);
    // a process that ends without a word
    writeFileSync(file('silent.cjs'), 'if (process.title === "sandbox") process.exit(7);');
    const silent = workspace.toolWith({ NODE_OPTIONS: `--require ${file('silent.cjs')}` }, 'dev/start.mjs');
    assert.equal(await silent.exited, 1);
    assert.match(silent.output, /sandbox ended \(exit code 7\). Its log is empty: \S+sandbox\.log/);
  });

  it('stops immediately on a signal during startup, and when its reader ends', async () => {
    // the start cannot end before the signal
    writeFileSync(
      file('waiting.cjs'),
      'if (process.title === "sandbox") Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);',
    );
    for (const [code, end] of [
      [143, ({ child }) => child.kill('SIGTERM')],
      [141, ({ child }) => child.stdout.destroy()],
    ]) {
      const start = workspace.toolWith({ NODE_OPTIONS: `--require ${file('waiting.cjs')}` }, 'dev/start.mjs');
      await start.shows('PostgreSQL started');
      end(start);
      assert.equal(await start.exited, code);
    }
  });

  it('names a taken port and what to do', async () => {
    const port = workspace.ports.SANDBOX_SMTP_PORT;
    const other = createServer();
    await new Promise((done) => other.listen(port, '127.0.0.1', done));
    const { USERS_PORT, SANDBOX_PORT } = workspace.ports;
    const settings = { MASTER_PORT: USERS_PORT };
    const start = workspace.toolWith(settings, 'dev/start.mjs', '--vendors=setu');
    const code = await start.exited;
    await new Promise((done) => other.close(done));
    assert.equal(code, 1);
    assert.match(start.output, new RegExp(`Port ${USERS_PORT}, which master-service needs, is the port of`));
    assert.match(start.output, new RegExp(`Port ${port}, which sandbox needs, is taken`));
    const next = `USERS_PORT=${USERS_PORT} MASTER_PORT=\\d+ SANDBOX_PORT=${SANDBOX_PORT} \\S+ SANDBOX_SMTP_PORT=\\d+`;
    assert.match(start.output, new RegExp(`${next} npm start -- --vendors=setu`));
  });

  it('prints its usage, and refuses unknown arguments', async () => {
    for (const [argument, code, text] of [
      ['--help', 0, /^npm start \[-- OPTIONS\][^]*USERS_PORT[^]*DATABASE_URL/],
      ['--verbos', 2, /Unknown option '--verbos'/],
      ['--vendors=setu,pigeon', 2, /"pigeon" is not one of cashfree, setu, msg91, twilio, aws, fineract/],
    ]) {
      const start = workspace.tool('dev/start.mjs', argument);
      assert.equal(await start.exited, code);
      assert.match(start.output, text);
    }
  });

  it('deletes its data with npm run reset', async () => {
    assert.equal(await workspace.tool('dev/reset.mjs').exited, 0);
    assert.equal(existsSync(workspace.data), false);
  });
});
