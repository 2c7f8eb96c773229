// Builds that run only when their inputs have changed. Times of files would not do: a build that Nx or a cache of CI has
// restored is older than its checkout.
import { createHash } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readIfThere } from '../files.mjs';
import { withLock } from '../stores/lock.mjs';
import { root } from '../workspace.mjs';

/** Hash of the files among PATHS (relative to the root), in the order of their names. */
export function hashOf(paths) {
  const hash = createHash('sha256');
  for (const path of paths.toSorted()) {
    const file = join(root, path);
    if (statSync(file, { throwIfNoEntry: false })?.isFile()) hash.update(path).update(readFileSync(file));
  }
  return hash.digest('hex');
}

/**
 * Runs BUILD, which fills the folder `dist` of the project in FOLDER, unless dist was built from the same content of PATHS.
 * Both are relative to the root. Returns whether it was built. A second caller waits for the first.
 */
export function buildIfChanged(folder, paths, build) {
  const stamp = join(root, folder, 'dist/.inputs');
  return withLock(join(root, 'node_modules/.cache', `${folder.replaceAll('/', '-')}.lock`), async () => {
    const expected = hashOf(paths);
    if (readIfThere(stamp) === expected) return false;
    await build();
    writeFileSync(stamp, expected);
    return true;
  });
}
