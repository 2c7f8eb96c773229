import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, it } from 'node:test';
import { makeProductionTree } from '../build/production-tree.mjs';
import { digestOf } from './spec-containers.mjs';
import { services } from '../workspace.mjs';

const folder = mkdtempSync(join(tmpdir(), 'fd-images-'));
after(() => rmSync(folder, { recursive: true, force: true }));

for (const service of services) {
  it(`what an image of ${service} holds is the same, byte for byte, when it is made again`, async () => {
    const [first, second] = ['first', 'second'].map((name) => join(folder, `${service}-${name}`));
    await makeProductionTree(service, first);
    await makeProductionTree(service, second);
    assert.equal(digestOf(second), digestOf(first));
  });
}
