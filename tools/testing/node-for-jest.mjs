// Runs Jest with the Node.js that it needs: from 24.9 on, CommonJS can load the ES modules of packages, by a flag that only a
// process's command line can set.
import { spawnSync } from 'node:child_process';

const FLAG = '--experimental-vm-modules';

/** Ends this process with one line if its Node.js is too old; repeats the command in a child if the flag is missing. */
export function requireNodeForJest() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < 24 || (major === 24 && minor < 9)) {
    console.error(
      `The tests need Node.js 24.9 or newer, not ${process.versions.node}: see .nvmrc. On Linux "node tools/bootstrap.mjs" installs it for npx jest.`,
    );
    process.exit(1);
  }
  if ([...process.execArgv, process.env.NODE_OPTIONS ?? ''].join(' ').includes(FLAG)) return;
  const args = [...process.execArgv, ...jestFlags, ...process.argv.slice(1)];
  const { status, signal } = spawnSync(process.execPath, args, { stdio: 'inherit' });
  if (signal) process.kill(process.pid, signal);
  process.exit(status ?? 1);
}

/** Flags of a Node.js that runs Jest. */
export const jestFlags = [FLAG, '--disable-warning=ExperimentalWarning'];
