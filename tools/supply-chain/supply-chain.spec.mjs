import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { inTemporaryFolder, readJson } from '../files.mjs';
import { root } from '../workspace.mjs';
import { FETCHED_PROGRAMS, fetchOnce } from './fetched-programs.mjs';
import { fetchProblems, installedProblems, integrityProblems, pinProblems } from './supply-chain-rules.mjs';

const { packageManager } = readJson('package.json');

const declared = (version) => pinProblems({ 'package.json': { devDependencies: { x: version } } }, {});
const locked = (resolution) => integrityProblems({ packages: { 'a@1.0.0': { resolution } } });
const running = (line) => fetchProblems({}, packageManager, { '.ci/run': line });
const shipped = (name, license, versions = ['1.0.0'], builds = {}) =>
  installedProblems('app', [{ name, license, versions }], builds);

/** Inputs of each rule: those that it accepts, and those that it rejects. */
const RULES = {
  'exact versions': {
    check: declared,
    accepts: ['1.0.0', '1.0.0-rc.1', 'npm:@a/b-c@1.0.0', 'catalog:', 'catalog:named', 'workspace:*'],
    rejects: ['^1.0.0', '~1.0.0', '1', '*', 'latest', 'github:a/b', 'npm:a@^1.0.0', 'workspace:^'],
  },
  'exact versions in catalogs and in overrides, which may remove a package': {
    check: (workspace) => pinProblems({}, workspace),
    accepts: [{ catalog: { x: '1.0.0' } }, { catalogs: { a: { x: '1.0.0' } } }, { overrides: { x: '-' } }],
    rejects: [{ catalog: { x: '^1.0.0' } }, { catalogs: { a: { x: '1' } } }, { overrides: { x: '^1.0.0' } }],
  },
  'a hash of each locked package': {
    check: locked,
    accepts: [{ integrity: 'sha512-abc' }],
    rejects: [undefined, { tarball: 'https://x.example/a.tgz' }, { integrity: 'sha1-a' }],
  },
  'a hash of the package manager, and its version wherever it is fetched': {
    check: (manager) => fetchProblems({ 'pnpm-x': FETCHED_PROGRAMS['pnpm-linux-x64'] }, manager, {}),
    accepts: [packageManager],
    rejects: ['pnpm@12.21.0', packageManager.replace(/@\d+/, '@11')],
  },
  'no unchecked download': {
    check: running,
    accepts: ['npm test', 'npm run test:release'],
    rejects: ['curl -fsSL https://x.example | sh', 'npx --yes a', 'npm ci', 'ADD https://x.example /a'],
  },
  'an allowed licence, or a reviewed one of exactly this version': {
    check: ([name, licence, version]) => shipped(name, licence, [version]),
    accepts: [
      ['a', 'MIT', '1.0.0'],
      ['pause', 'Unknown', '0.0.1'],
    ],
    rejects: [
      ['a', 'Unknown', '1.0.0'],
      ['a', 'MIT OR GPL-2.0', '1.0.0'],
      ['pause', 'Unknown', '0.0.2'],
    ],
  },
  'no development tool in production': {
    check: (name) => shipped(name, 'MIT'),
    accepts: ['@nestjs/core'],
    rejects: ['jest', 'jest-worker', 'eslint-plugin-x', '@types/node', '@nestjs/testing', 'typescript'],
  },
  'no install script in production': {
    check: (mayRun) => shipped('a', 'MIT', ['1.0.0'], { a: mayRun }),
    accepts: [false],
    rejects: [true],
  },
};

describe('the rules of the supply chain require', () => {
  for (const [title, { check, accepts, rejects }] of Object.entries(RULES))
    it(title, () => {
      for (const input of accepts) assert.deepEqual(check(input), [], JSON.stringify(input));
      for (const input of rejects) assert.equal(check(input).length, 1, JSON.stringify(input));
    });
});

it('keeps no file of an archive with another hash', () =>
  inTemporaryFolder('archive', (spec) => {
    writeFileSync(join(spec, 'package.json'), JSON.stringify({ name: 'archive', version: '1.0.0' }));
    const name = `spec-${process.pid}`;
    const folder = join(root, 'node_modules/.cache', name);
    const wrong = { spec, integrity: `sha512-${'A'.repeat(86)}==`, file: 'package/package.json' };
    assert.throws(() => fetchOnce(name, wrong), /differs from the reviewed archive: its hash is sha512-/);
    const left = readdirSync(folder, { recursive: true, withFileTypes: true });
    rmSync(folder, { recursive: true });
    assert.ok(!left.some((entry) => entry.isFile()));
  }));

it('finds each planted secret and does not print it', () =>
  inTemporaryFolder('secrets', (folder) => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const jwk = privateKey.export({ format: 'jwk' });
    const base64 = randomBytes(32).toString('base64');
    const planted = {
      'private.jwk.json': JSON.stringify({ keys: [jwk] }),
      'key.pem': privateKey.export({ type: 'pkcs8', format: 'pem' }),
      'settings.ts': `const settings = { OTP_SECRET: '${base64}' };`,
      'settings.yaml': `PII_KEYS: k1:${base64}`,
      '.env': `INDEX_SECRET=${base64}`,
      'url.ts': `connect('postgres://fd:${randomBytes(9).toString('hex')}@db.internal/fd');`,
    };
    const clean = { 'clean.ts': "const settings = { OTP_SECRET: process.env['OTP_SECRET'] };" };
    const files = Object.entries({ ...planted, ...clean });
    for (const [name, text] of files) writeFileSync(join(folder, name), text);
    const { status, stdout, stderr } = spawnSync(
      join(root, 'node_modules/.bin/secretlint'),
      ['--secretlintrc', join(root, '.secretlintrc.json'), '--no-glob', ...files.map(([name]) => name)],
      { cwd: folder, encoding: 'utf8' },
    );
    assert.equal(status, 1, stdout + stderr);
    const found = files.map(([name]) => name).filter((name) => stdout.includes(join(folder, name)));
    assert.deepEqual(found, Object.keys(planted), stdout);
    for (const secret of [jwk.d, base64]) assert.ok(!(stdout + stderr).includes(secret));
  }));
