// npm run guide: builds the documentation site into guide/dist, where the sandbox serves it at /guide. A dead link fails the build.
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { install } from '../bootstrap.mjs';
import { isProgram } from '../files.mjs';
import { runProgram } from '../processes/processes.mjs';
import { root, toolEnvironment } from '../workspace.mjs';
import { buildIfChanged } from './stamps.mjs';

const folder = join(root, 'guide');

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
  return (stdout ?? '').split('\0').filter(Boolean);
}

/**
 * Installs the packages of the site and builds it, unless it is up to date. Returns whether it was built. An error in a page
 * is thrown with VitePress's messages.
 */
export async function buildGuide({ signal } = {}) {
  return buildIfChanged('guide', inputs(), async () => {
    const env = toolEnvironment();
    const install = ['tools/pnpm.mjs', '--dir', 'guide', 'install', '--frozen-lockfile', '--silent'];
    await runProgram('The packages of the guide cannot be installed', process.execPath, install, {
      cwd: root,
      signal,
      env,
    });
    const vitepress = join(folder, 'node_modules/.bin/vitepress');
    await runProgram('The guide cannot be built', vitepress, ['build'], { cwd: folder, signal, env });
  });
}

if (isProgram(import.meta.url)) {
  await install();
  const isBuilt = await buildGuide();
  console.log(isBuilt ? 'built guide/dist' : 'guide/dist is up to date');
}
