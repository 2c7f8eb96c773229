// Installs the workspace's dependencies when they are missing or older than the lockfile.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readIfThere } from './files.mjs';
import { withLock } from './stores/lock.mjs';
import { pnpm } from './pnpm.mjs';

const at = (path) => new URL(`../${path}`, import.meta.url);
const sha256 = (...parts) =>
  parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest('hex');

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(
    `Node.js ${process.versions.node} is too old: this needs 20.19 or newer (https://nodejs.org).`,
  );
  process.exit(1);
}

const stamp = at('node_modules/.bootstrap');
const expected = sha256(
  readFileSync(at('pnpm-lock.yaml')),
  readFileSync(at('pnpm-workspace.yaml')),
  process.platform + process.arch,
);
const isInstalled = () => readIfThere(stamp) === expected;

function install() {
  if (isInstalled()) return; // another process has installed them
  console.log('Installing dependencies (once, and again when the lockfile changes) ...');
  const status = pnpm(['install', '--frozen-lockfile']);
  if (status !== 0) {
    console.error('The install failed: see above. It needs the npm registry; run the same command again.');
    process.exit(status);
  }
  writeFileSync(stamp, expected);
}

if (!isInstalled()) {
  // `npm start` and `npm test` may be the first commands in two terminals, before any folder exists
  const lock = join(tmpdir(), `fd-bootstrap-${sha256(at('').href).slice(0, 12)}.lock`);
  const waiting = (pid) => console.log(`Waiting for process ${pid ?? '?'}, which is installing ...`);
  await withLock(lock, install, { waiting, limit: 900_000 });
}
