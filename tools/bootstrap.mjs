#!/usr/bin/env node
// Installs the workspace's dependencies when they are missing or older than the lockfile. Each program behind a script of
// package.json begins with `await install()`, and imports packages, or files that do, only afterwards.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isProgram, readIfThere } from './files.mjs';
import { withLock } from './stores/lock.mjs';
import { pnpm } from './pnpm.mjs';
import { root } from './workspace.mjs';

const sha256 = (...parts) =>
  parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest('hex');

const at = (path) => join(root, path);
const stamp = at('node_modules/.bootstrap');

/** Of the Node.js of the images, which the install adds on Linux. */
const installedNode = at('node_modules/.bin/node');

/** Ends this process with one line if Node.js is older than NEEDED ("20.19"). */
function requireNode(version, needed, hint) {
  const [[major, minor], [least, leastMinor]] = [version, needed].map((text) => text.split('.').map(Number));
  if (major > least || (major === least && minor >= leastMinor)) return;
  console.error(`Node.js ${version} is too old: ${hint}`);
  process.exit(1);
}

// standard output belongs to the program
const toStandardError = { stdio: ['inherit', 2, 2] };

function installNow(expected) {
  if (readIfThere(stamp) === expected) return; // another process has installed them
  console.error('Installing dependencies (once, and again when the lockfile changes) ...');
  const status = pnpm(['install', '--frozen-lockfile'], toStandardError);
  if (status !== 0) {
    console.error('The install failed: see above. It needs the npm registry; run the same command again.');
    process.exit(status);
  }
  // found from every folder of the checkout
  rmSync(at('node_modules/.bin/fd'), { force: true });
  symlinkSync('../../tools/dev/fd.mjs', at('node_modules/.bin/fd'));
  writeFileSync(stamp, expected);
}

/**
 * Installs the dependencies unless they are. Ends this process with a message if that fails, or if Node.js is too old: for
 * itself, or for what comes next (NODE: its oldest version). From then on `process.execPath` is the Node.js of the images,
 * where the install adds it, so that a first start runs on the same one as all later ones.
 */
export async function install({ node } = {}) {
  const version = process.versions.node;
  requireNode(version, '20.19', 'this needs 20.19 or newer (https://nodejs.org); .nvmrc names the best one.');
  if (/[*?]/.test(root)) {
    console.error(`Node.js and Vite load no modules from a path with * or ?: move this checkout. (${root})`);
    process.exit(1);
  }
  const expected = sha256(
    readFileSync(at('pnpm-lock.yaml')),
    readFileSync(at('pnpm-workspace.yaml')),
    process.platform + process.arch,
  );
  if (readIfThere(stamp) !== expected) {
    // `npm start` and `npm test` may be the first commands in two terminals, before any folder exists
    const lock = join(tmpdir(), `fd-bootstrap-${sha256(root).slice(0, 12)}.lock`);
    const waiting = (pid) => console.error(`Waiting for process ${pid ?? '?'}, which is installing ...`);
    await withLock(lock, () => installNow(expected), { waiting, limit: 900_000 });
  }
  if (existsSync(installedNode)) process.execPath = realpathSync(installedNode);
  else if (node) requireNode(version, node, `this needs ${node} or newer: type "nvm use", or see .nvmrc.`);
}

if (isProgram(import.meta.url)) await install();
