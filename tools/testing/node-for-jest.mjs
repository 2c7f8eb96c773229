// Runs Jest with the Node.js that it needs: from 24.9 on, CommonJS can load the ES modules of packages, by a flag that only a
// process's command line can set.
import { spawnSync } from 'node:child_process';
import { install } from '../bootstrap.mjs';

const FLAG = '--experimental-vm-modules';

/** Flags of a Node.js that runs Jest. */
export const jestFlags = [FLAG, '--disable-warning=ExperimentalWarning'];

/**
 * Returns if Jest can run in this process. Else ends this process: repeats its command with another Node.js or with the flag, as
 * an editor does not know them, or says in one line what to do.
 */
export async function requireNodeForJest() {
  const own = process.execPath;
  await install({ node: '24.9' });
  const hasFlag = [...process.execArgv, process.env.NODE_OPTIONS ?? ''].join(' ').includes(FLAG);
  if (hasFlag && process.execPath === own) return;
  const args = [...process.execArgv, ...jestFlags, ...process.argv.slice(1)];
  const { status, signal } = spawnSync(process.execPath, args, { stdio: 'inherit' });
  if (signal) process.kill(process.pid, signal);
  process.exit(status ?? 1);
}
