import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { apiFiles } from './api-files.mjs';
import { DOCUMENTED_SERVICES, documentPath, operationsOf } from './openapi-documents.mjs';
import { root } from '../workspace.mjs';

const read = (path) => readFileSync(join(root, path), 'utf8');

// tests of the services compare the documents with the served ones
test('finds all generated files up to date (else: npm run docs)', async () => {
  const documents = Object.fromEntries(
    DOCUMENTED_SERVICES.map((service) => [service, JSON.parse(read(documentPath(service)))]),
  );
  const files = await apiFiles(documents);
  assert.ok(Object.keys(files).length >= 7);
  for (const [path, text] of Object.entries(files)) {
    assert.ok(read(path) === text, `${path} is stale: npm run docs`);
  }
});

const pages = readdirSync(join(root, 'docs/integrators')).filter((name) => name.endsWith('.md'));

test('finds only existing calls and links on the pages for integrators', () => {
  const paths = DOCUMENTED_SERVICES.flatMap((service) =>
    operationsOf(JSON.parse(read(documentPath(service)))).map(({ call }) => call),
  );
  const calls = paths.map((call) => new RegExp(`^${call.replace(/\{\w+\}/g, '[^/]+')}$`));
  let checked = 0;
  for (const page of pages.filter((name) => name !== 'errors.md')) {
    const text = read(`docs/integrators/${page}`);
    for (const [call] of text.matchAll(/\b(GET|POST|PUT|DELETE) \/[\w/{}.-]+/g)) {
      checked++;
      assert.ok(
        calls.some((known) => known.test(call)),
        `${page}: ${call}`,
      );
    }
    for (const [, code] of text.matchAll(/(SVC(?:USER|MAS|INV)\d+)/g))
      assert.match(read('docs/integrators/errors.md'), new RegExp(`### ${code}\\b`), `${page}: ${code}`);
    for (const [, target] of text.matchAll(/\]\((?!https?:)([^)#]+)/g))
      assert.ok(existsSync(join(root, 'docs/integrators', target)), `${page}: ${target}`);
  }
  assert.ok(checked > 30);
});

/** A repository with only the tool and the documents. */
let folder;
const git = (...args) =>
  execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@test.example', ...args], {
    cwd: folder,
    encoding: 'utf8',
  });
const breakingIn = (settings, ...args) =>
  spawnSync(process.execPath, ['tools/api/api-breaking.mjs', ...args], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, GITHUB_REF_NAME: '', ...settings },
  });
const breaking = (...args) => breakingIn({}, ...args);

before(() => {
  folder = mkdtempSync(join(tmpdir(), 'fd-api-'));
  cpSync(join(root, 'docs/openapi'), join(folder, 'docs/openapi'), { recursive: true });
  cpSync(join(root, 'tools'), join(folder, 'tools'), { recursive: true });
  git('init', '--quiet', '--initial-branch=main');
  git('add', '.');
  git('commit', '--quiet', '--message=first');
});
after(() => rmSync(folder, { recursive: true, force: true }));

test('fails api:breaking for a removed call until it is accepted with a reason', () => {
  assert.equal(breaking().status, 0, 'the first commit has nothing to be compared with');
  git('tag', 'v1.0.0');
  const file = join(folder, documentPath('users-service'));
  const document = JSON.parse(readFileSync(file, 'utf8'));
  delete document.paths['/auth/register'];
  writeFileSync(file, JSON.stringify(document));
  const refused = breaking();
  assert.equal(refused.status, 1);
  assert.match(refused.stderr, /BREAKING {2}users-service {2}POST \/auth\/register: the call is gone\n/);
  assert.match(refused.stdout, /Since v1\.0\.0 \(\w{9}\): 1 breaking changes, 0 accepted ones/);

  const entry = {
    service: 'users-service',
    change: 'POST /auth/register: the call is gone',
    reason: 'for the test',
  };
  const accepted = join(folder, 'docs/openapi/accepted-changes.json');
  writeFileSync(accepted, JSON.stringify([entry]));
  assert.equal(breaking().status, 0);
  writeFileSync(accepted, JSON.stringify([{ ...entry, reason: '' }]));
  assert.notEqual(breaking().status, 0, 'a reason is needed');
  writeFileSync(accepted, '[]');

  git('commit', '--quiet', '--all', '--message=second');
  assert.equal(breaking().status, 1, 'compares with the release, regardless of later commits');
  git('tag', 'v2.0.0');
  assert.equal(breaking().status, 0, 'the newest tag is a release');
  const released = breakingIn({ GITHUB_REF_NAME: 'v2.0.0' });
  assert.match(released.stdout, /^Since v1\.0\.0 /m, 'its own run compares it with the one before');
  assert.equal(released.status, 1);
  git('tag', '--delete', 'v2.0.0');
  git('tag', '--delete', 'v1.0.0');
  assert.equal(breaking().status, 1, 'without a release, on main: the commit before');
  assert.equal(breaking('HEAD').status, 0);
  assert.equal(breaking('nothing').status, 2);
  git('checkout', '--quiet', '-b', 'work');
  git('commit', '--quiet', '--allow-empty', '--message=third');
  assert.equal(breaking().status, 0, 'on a branch: where it left main');
});
