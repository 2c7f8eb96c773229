import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { lstatSync, mkdtempSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, it } from 'node:test';
import { entriesOf, makeProductionTree } from '../build/production-tree.mjs';
import { services } from '../workspace.mjs';

const folder = mkdtempSync(join(tmpdir(), 'fd-images-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** A digest of everything in FOLDER: names, kinds, modes, times and contents. */
function digestOf(folder) {
  const hash = createHash('sha256');
  for (const path of [...entriesOf(folder)].sort()) {
    const at = join(folder, path);
    const entry = lstatSync(at);
    hash.update(JSON.stringify([path, entry.mode, entry.mtimeMs]));
    if (entry.isSymbolicLink()) hash.update(readlinkSync(at));
    if (entry.isFile()) hash.update(readFileSync(at));
  }
  return hash.digest('hex');
}

for (const service of services) {
  it(`builds identical contents of the image of ${service} twice`, async () => {
    const [first, second] = ['first', 'second'].map((name) => join(folder, `${service}-${name}`));
    await makeProductionTree(service, first);
    await makeProductionTree(service, second);
    assert.equal(digestOf(second), digestOf(first));
  });
}
