import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { root } from '../workspace.mjs';

describe('the check of an overlay', () => {
  let folder;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'fd-overlay-'));
    cpSync(join(root, 'deploy'), folder, { recursive: true });
  });
  after(() => rmSync(folder, { recursive: true }));

  const change = (path, from, to) =>
    writeFileSync(join(folder, path), readFileSync(join(folder, path), 'utf8').replaceAll(from, to));

  function check(name) {
    const script = join(root, 'tools/deployment/check-overlay.mjs');
    const args = [script, join(folder, 'overlays', name)];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    assert.equal(stderr, '');
    return { status, problems: stdout.trim().split('\n') };
  }

  it('lists only the example addresses of the overlay for production', () => {
    const { status, problems } = check('production');
    assert.equal(status, 1);
    assert.ok(problems.every((problem) => /: still names [\w.-]+\.example$/.test(problem)));
    assert.ok(problems.includes('services HTTPRoute/users-service: still names users.deposits.example'));
  });

  it('accepts an overlay of its own with its addresses and its namespace', () => {
    for (const name of readdirSync(folder, { recursive: true }))
      if (/\.(yaml|env)$/.test(name)) change(name, /\.example\b/g, '.test');
    cpSync(join(folder, 'overlays/staging'), join(folder, 'overlays/pilot'), { recursive: true });
    assert.match(
      check('pilot').problems[0],
      /is in the namespace fd-staging, but roll-out\.sh uses fd-pilot$/,
    );
    change('overlays/pilot/release/kustomization.yaml', 'fd-staging', 'fd-pilot');
    assert.deepEqual(check('pilot'), { status: 0, problems: ['pilot: every object is valid'] });
  });
});
