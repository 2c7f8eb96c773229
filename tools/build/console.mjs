// node tools/build/console.mjs: builds the console into apps/console/dist, from which a running sandbox serves each request. A
// build empties the folder, so an unneeded one would break an open page.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isProgram } from '../files.mjs';
import { runProgram } from '../processes/processes.mjs';
import { appFolder, root, toolEnvironment } from '../workspace.mjs';
import { buildIfChanged } from './stamps.mjs';

const FOLDER = 'apps/console';

/** Builds the console, unless it is up to date. Returns whether it was built. A compile error is thrown with Vite's messages. */
export function buildConsole({ signal } = {}) {
  const cwd = appFolder('console');
  const sources = [FOLDER, 'libs/client'].flatMap((folder) =>
    readdirSync(join(root, folder, 'src'), { recursive: true }).map((name) => `${folder}/src/${name}`),
  );
  const settings = ['index.html', 'package.json', 'vite.config.mjs'].map((name) => `${FOLDER}/${name}`);
  return buildIfChanged(FOLDER, ['pnpm-lock.yaml', ...settings, ...sources], () =>
    runProgram(
      'The console does not compile',
      join(cwd, 'node_modules/.bin/vite'),
      ['build', '--logLevel', 'warn'],
      { cwd, signal, env: toolEnvironment() },
    ),
  );
}

if (isProgram(import.meta.url)) await buildConsole();
