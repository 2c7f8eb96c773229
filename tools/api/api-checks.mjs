// Packages that only check the OpenAPI documents, installed separately from those of the product.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { pnpm } from '../pnpm.mjs';
import { root, toolEnvironment } from '../workspace.mjs';

export const checksFolder = join(root, 'tools/api/checks');

/** Installs the packages unless they are installed. */
export function installChecks() {
  const status = pnpm(['--dir', checksFolder, 'install', '--frozen-lockfile', '--silent']);
  if (status !== 0) throw new Error('The packages of tools/api/checks cannot be installed; see above.');
}

/** Runs a program of these packages. Returns its exit code; its output goes to the terminal unless OPTIONS redirect it. */
export const runCheck = (program, args, options = {}) =>
  spawnSync(join(checksFolder, 'node_modules/.bin', program), args, {
    cwd: root,
    stdio: 'inherit',
    encoding: 'utf8',
    env: { ...toolEnvironment(), REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    ...options,
  });
