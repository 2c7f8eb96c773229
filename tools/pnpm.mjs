// Runs the pnpm that package.json pins, on a machine that has only Node.js and npm.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const root = new URL('../', import.meta.url);
const { packageManager } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));
const pinned = packageManager.split('+')[0];

/** Settings that say where packages come from and how to get there. */
const ABOUT_REGISTRIES =
  /^npm_config_(.*:)?(registry|userconfig|globalconfig|ca|cafile|strict_ssl|proxy|https_proxy|noproxy|_auth.*)$/i;

/**
 * npm hands its whole configuration to scripts as npm_config_*: pnpm must not take it for its own. And a
 * NODE_ENV of production would have it leave out what the build needs.
 */
const isForPnpm = (name) =>
  ABOUT_REGISTRIES.test(name) || !(name === 'NODE_ENV' || /^npm_(config|package|lifecycle)_/i.test(name));

/** Runs pnpm with ARGS in the workspace's root; returns its exit code. */
export function pnpm(args) {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => isForPnpm(name)));
  const result = spawnSync('npx', ['--yes', pinned, ...args], {
    cwd: root,
    stdio: 'inherit',
    env: { ...env, npm_config_update_notifier: 'false' },
    shell: process.platform === 'win32',
  });
  if (result.error) throw result.error;
  return result.status ?? 1;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  process.exit(pnpm(process.argv.slice(2)));
}
