// Runs Jest with the Node.js that it needs: from 24.9 on, CommonJS can load the ES modules of packages, by a flag that only a
// process's command line can set.
import { spawnSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../workspace.mjs';

const FLAG = '--experimental-vm-modules';

/** Flags of a Node.js that runs Jest. */
export const jestFlags = [FLAG, '--disable-warning=ExperimentalWarning'];

function isNewEnough([major, minor] = process.versions.node.split('.').map(Number)) {
  return major > 24 || (major === 24 && minor >= 9);
}

/** The Node.js of this process, or the one that the install adds on Linux; undefined if neither is new enough. */
function suitableNode() {
  const installed = join(root, 'node_modules/.bin/node');
  if (isNewEnough()) return process.execPath;
  return existsSync(installed) ? realpathSync(installed) : undefined;
}

/**
 * Returns if Jest can run in this process. Else ends this process: repeats its command with another Node.js or with the flag, as
 * an editor does not know them, or says in one line what to do.
 */
export function requireNodeForJest() {
  const hasFlag = [...process.execArgv, process.env.NODE_OPTIONS ?? ''].join(' ').includes(FLAG);
  if (isNewEnough() && hasFlag) return;
  const node = suitableNode();
  if (!node) {
    console.error(
      `The tests need Node.js 24.9 or newer, not ${process.versions.node}: type "nvm use", or see .nvmrc.`,
    );
    process.exit(1);
  }
  const args = [...process.execArgv, ...jestFlags, ...process.argv.slice(1)];
  const { status, signal } = spawnSync(node, args, { stdio: 'inherit' });
  if (signal) process.kill(process.pid, signal);
  process.exit(status ?? 1);
}
