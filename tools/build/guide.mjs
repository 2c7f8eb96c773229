// npm run guide: builds the documentation site into guide/dist, where the sandbox serves it at /guide. A dead link fails the build.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { isProgram, readIfThere } from '../files.mjs';
import { runProgram } from '../processes/processes.mjs';
import { withLock } from '../stores/lock.mjs';
import { root, toolEnvironment } from '../workspace.mjs';

const folder = join(root, 'guide');
const stamp = join(folder, 'dist/.inputs');

/** All sources of the site, as git lists them. */
function inputs() {
  const patterns = [
    'guide',
    '*.md',
    'docs/openapi/*.json',
    'docs/integrators/*.json',
    'apps/*/openapi/*.json',
  ];
  const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', ...patterns];
  const { stdout } = spawnSync('git', list, { cwd: root, encoding: 'utf8' });
  const hash = createHash('sha256');
  for (const path of (stdout ?? '').split('\0').filter(Boolean).sort())
    if (existsSync(join(root, path))) hash.update(path).update(readFileSync(join(root, path)));
  return hash.digest('hex');
}

/**
 * Installs the packages of the site and builds it, unless it is up to date. Returns whether it was built. An error in a page
 * is thrown with VitePress's messages.
 */
export async function buildGuide({ signal } = {}) {
  // checkouts made by specs have none
  if (!existsSync(folder)) return false;
  const expected = inputs();
  return withLock(join(root, 'node_modules/.cache/guide.lock'), async () => {
    if (readIfThere(stamp) === expected) return false;
    const env = toolEnvironment();
    const install = ['tools/pnpm.mjs', '--dir', 'guide', 'install', '--frozen-lockfile', '--silent'];
    await runProgram('The packages of the guide cannot be installed', process.execPath, install, {
      cwd: root,
      signal,
      env,
    });
    const vitepress = join(folder, 'node_modules/.bin/vitepress');
    await runProgram('The guide cannot be built', vitepress, ['build'], { cwd: folder, signal, env });
    writeFileSync(stamp, expected);
    return true;
  });
}

if (isProgram(import.meta.url)) {
  const isBuilt = await buildGuide();
  console.log(isBuilt ? 'built guide/dist' : 'guide/dist is up to date');
}
