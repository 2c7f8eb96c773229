// Runs the pnpm that package.json pins, on a machine that has only Node.js and npm.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { fetchedProgram } from './supply-chain/fetched-programs.mjs';
import { root } from './workspace.mjs';

/** Settings that say where packages come from and how to get there. */
const ABOUT_REGISTRIES =
  /^npm_config_(.*:)?(registry|userconfig|globalconfig|ca|cafile|strict_ssl|proxy|https_proxy|noproxy|_auth.*)$/i;

/**
 * npm hands its whole configuration to scripts as npm_config_*: pnpm must not take it for its own. And a
 * NODE_ENV of production would have it leave out what the build needs.
 */
const isForPnpm = (name) =>
  ABOUT_REGISTRIES.test(name) || !(name === 'NODE_ENV' || /^npm_(config|package|lifecycle)_/i.test(name));

/**
 * On a developer's machine of a kind that no release is built on, whose pnpm has no hash here: npm compares it with the hash
 * that the registry tells.
 */
function unpinned() {
  const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return ['npx', '--yes', packageManager.split('+')[0]];
}

/** Runs pnpm with ARGS in the workspace's root; returns its exit code. */
export function pnpm(args) {
  const own = Object.fromEntries(Object.entries(process.env).filter(([name]) => isForPnpm(name)));
  const env = { ...own, npm_config_update_notifier: 'false' };
  const program = fetchedProgram('pnpm', { env });
  const [command, ...first] = program ? [program] : unpinned();
  const result = spawnSync(command, [...first, ...args], {
    cwd: root,
    stdio: 'inherit',
    env,
    shell: process.platform === 'win32',
  });
  if (result.error) throw result.error;
  return result.status ?? 1;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  process.exit(pnpm(process.argv.slice(2)));
}
