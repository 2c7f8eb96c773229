// Runs the pnpm that package.json pins, on a machine that has only Node.js and npm.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const root = new URL('../', import.meta.url);
const { packageManager } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));
const pinned = packageManager.split('+')[0];

/** Runs pnpm with ARGS in the workspace's root; returns its exit code. */
export function pnpm(args) {
  // npm hands its whole configuration to scripts as npm_config_*: pnpm must not take it for its own
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([key]) => !/^npm_(config|package|lifecycle)_/i.test(key)),
  );
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
