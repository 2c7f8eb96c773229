import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { it } from 'node:test';
import { root } from '../workspace.mjs';

const STEPS = [
  ['build-images', 2],
  ['publish-images', 3],
  ['verify-images', 2],
  ['use-images', 3],
];

for (const [name, count] of STEPS)
  it(`${name} says how many arguments it needs, and where they are listed`, () => {
    const script = join(root, `tools/release/${name}.mjs`);
    const { status, stderr } = spawnSync(process.execPath, [script, 'deploy/overlays/production'], {
      encoding: 'utf8',
    });
    assert.deepEqual(
      [status, stderr],
      [1, `${name}.mjs needs ${count} arguments: docs/release.md lists them.\n`],
    );
  });
