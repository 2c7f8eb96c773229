// Runs the pnpm that package.json pins, on a machine that has only Node.js and npm.
import { spawnSync } from 'node:child_process';
import { isProgram, readJson } from './files.mjs';
import { fetchedProgram } from './supply-chain/fetched-programs.mjs';
import { root } from './workspace.mjs';

/** Settings of registry and proxy. */
const ABOUT_REGISTRIES =
  /^npm_config_(.*:)?(registry|userconfig|globalconfig|ca|cafile|strict_ssl|proxy|https_proxy|noproxy|_auth.*)$/i;

/**
 * npm passes its whole configuration to scripts as npm_config_*, which pnpm must not use. With NODE_ENV=production pnpm would
 * leave out the dependencies of the build.
 */
const isForPnpm = (name) =>
  ABOUT_REGISTRIES.test(name) || !(name === 'NODE_ENV' || /^npm_(config|package|lifecycle)_/i.test(name));

/**
 * For platforms on which no release is built, and for which no hash of pnpm is listed here: npm verifies the package with the
 * registry's hash.
 */
function unpinned() {
  const { packageManager } = readJson('package.json');
  return ['npx', '--yes', packageManager.split('+')[0]];
}

/** Runs pnpm with ARGS in the workspace's root; returns its exit code. OPTIONS are those of spawn. */
export function pnpm(args, options = {}) {
  const own = Object.fromEntries(Object.entries(process.env).filter(([name]) => isForPnpm(name)));
  const env = { ...own, npm_config_update_notifier: 'false' };
  const program = fetchedProgram('pnpm', { env });
  const [command, ...first] = program ? [program] : unpinned();
  const result = spawnSync(command, [...first, ...args], {
    cwd: root,
    stdio: 'inherit',
    env,
    shell: process.platform === 'win32',
    ...options,
  });
  if (result.error) throw result.error;
  return result.status ?? 1;
}

if (isProgram(import.meta.url)) process.exit(pnpm(process.argv.slice(2)));
