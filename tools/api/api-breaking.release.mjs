import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { inTemporaryFolder } from '../files.mjs';
import { documentPath } from './openapi-documents.mjs';
import { root } from '../workspace.mjs';

const CHANGE = 'POST /auth/register: the call is gone';

test('refuses a removed call since the latest release, until it is accepted with a reason', () =>
  // a repository with only the tool and the documents
  inTemporaryFolder('api', (folder) => {
    const cwd = folder;
    const who = ['-c', 'user.name=Test', '-c', 'user.email=test@test.example'];
    const git = (...args) => execFileSync('git', [...who, ...args], { cwd });
    const commit = () => git('commit', '--quiet', '--all', '--allow-empty', '--message=any');
    const breaking = (tag = '', ...args) =>
      spawnSync(process.execPath, ['tools/api/api-breaking.mjs', ...args], {
        cwd,
        encoding: 'utf8',
        env: { ...process.env, GITHUB_REF_NAME: tag },
      });
    for (const part of ['docs/openapi', 'tools'])
      cpSync(join(root, part), join(folder, part), { recursive: true });
    git('init', '--quiet', '--initial-branch=main');
    git('add', '.');
    commit();
    assert.equal(breaking().status, 0, 'the first commit has nothing to be compared with');
    git('tag', 'v1.0.0');

    const file = join(folder, documentPath('users-service'));
    const document = JSON.parse(readFileSync(file, 'utf8'));
    delete document.paths['/auth/register'];
    writeFileSync(file, JSON.stringify(document));
    commit();
    const { status, stdout, stderr } = breaking();
    assert.equal(status, 1, 'compares with the release, regardless of later commits');
    assert.match(stderr, new RegExp(`BREAKING {2}users-service {2}${CHANGE}\n`));
    assert.match(stdout, /Since v1\.0\.0 \(\w{9}\): 1 breaking changes, 0 accepted ones/);
    const accept = (reason) => {
      const entry = { service: 'users-service', change: CHANGE, reason };
      writeFileSync(join(folder, 'docs/openapi/accepted-changes.json'), JSON.stringify([entry]));
      return breaking().status;
    };
    assert.deepEqual([accept('') === 0, accept('for the test')], [false, 0], 'a reason is needed');
    git('checkout', '--quiet', 'docs/openapi/accepted-changes.json');

    git('tag', 'v2.0.0');
    assert.equal(breaking().status, 0, 'the newest tag is a release');
    assert.equal(breaking('v2.0.0').status, 1, 'its own run compares it with the one before');
    git('tag', '--delete', 'v1.0.0', 'v2.0.0');
    assert.equal(breaking().status, 1, 'without a release, on main: the commit before');
    assert.deepEqual([breaking('', 'HEAD').status, breaking('', 'nothing').status], [0, 2]);
    git('checkout', '--quiet', '-b', 'work');
    commit();
    assert.equal(breaking().status, 0, 'on a branch: where it left main');
  }));
