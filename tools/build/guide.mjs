// npm run guide: builds the documentation site into guide/dist, where the sandbox serves it at /guide. A dead link fails the build.
import { join } from 'node:path';
import { install } from '../bootstrap.mjs';
import { isProgram, listedFiles } from '../files.mjs';
import { runProgram } from '../processes/processes.mjs';
import { root, toolEnvironment } from '../workspace.mjs';
import { buildIfChanged } from './stamps.mjs';

const folder = join(root, 'guide');

/** The sources of the site. */
const SOURCES = ['guide', '*.md', 'docs/openapi/*.json', 'docs/integrators/*.json', 'apps/*/openapi/*.json'];

/**
 * Installs the packages of the site and builds it, unless it is up to date. Returns whether it was built. An error in a page
 * is thrown with VitePress's messages.
 */
export async function buildGuide({ signal } = {}) {
  return buildIfChanged('guide', listedFiles(...SOURCES), async () => {
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
