import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { documentPath } from './openapi-documents.mjs';
import { root } from '../workspace.mjs';

/** A repository with only the tool and the documents. */
let folder;
const git = (...args) =>
  execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@test.example', ...args], {
    cwd: folder,
  });
const commit = (message) => git('commit', '--quiet', '--all', '--allow-empty', `--message=${message}`);
const breaking = (tag = '', ...args) =>
  spawnSync(process.execPath, ['tools/api/api-breaking.mjs', ...args], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, GITHUB_REF_NAME: tag },
  });

before(() => {
  folder = mkdtempSync(join(tmpdir(), 'fd-api-'));
  for (const part of ['docs/openapi', 'tools'])
    cpSync(join(root, part), join(folder, part), { recursive: true });
  git('init', '--quiet', '--initial-branch=main');
  git('add', '.');
  commit('first');
});
after(() => rmSync(folder, { recursive: true, force: true }));

test('refuses a removed call since the latest release, until it is accepted with a reason', () => {
  assert.equal(breaking().status, 0, 'the first commit has nothing to be compared with');
  git('tag', 'v1.0.0');
  const file = join(folder, documentPath('users-service'));
  const document = JSON.parse(readFileSync(file, 'utf8'));
  delete document.paths['/auth/register'];
  writeFileSync(file, JSON.stringify(document));
  const change = 'POST /auth/register: the call is gone';
  assert.match(breaking().stderr, new RegExp(`BREAKING {2}users-service {2}${change}\n`));
  commit('second');
  const refused = breaking();
  assert.equal(refused.status, 1, 'compares with the release, regardless of later commits');
  assert.match(refused.stdout, /Since v1\.0\.0 \(\w{9}\): 1 breaking changes, 0 accepted ones/);

  const accept = (reason) => {
    const entry = { service: 'users-service', change, reason };
    writeFileSync(join(folder, 'docs/openapi/accepted-changes.json'), JSON.stringify([entry]));
    return breaking().status;
  };
  assert.notEqual(accept(''), 0, 'a reason is needed');
  assert.equal(accept('for the test'), 0);
  git('checkout', '--quiet', 'docs/openapi/accepted-changes.json');

  git('tag', 'v2.0.0');
  assert.equal(breaking().status, 0, 'the newest tag is a release');
  assert.match(breaking('v2.0.0').stdout, /^Since v1\.0\.0 /m, 'its own run compares it with the one before');
  git('tag', '--delete', 'v1.0.0', 'v2.0.0');
  assert.equal(breaking().status, 1, 'without a release, on main: the commit before');
  assert.deepEqual([breaking('', 'HEAD').status, breaking('', 'nothing').status], [0, 2]);
  git('checkout', '--quiet', '-b', 'work');
  commit('third');
  assert.equal(breaking().status, 0, 'on a branch: where it left main');
});
