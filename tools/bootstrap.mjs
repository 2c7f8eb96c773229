// Installs the workspace's dependencies when they are missing or older than the lockfile.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { pnpm } from './pnpm.mjs';

const at = (path) => new URL(`../${path}`, import.meta.url);
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(
    `Node.js ${process.versions.node} is too old: this needs 20.19 or newer (https://nodejs.org).`,
  );
  process.exit(1);
}

const stamp = at('node_modules/.bootstrap');
const hash = createHash('sha256')
  .update(readFileSync(at('pnpm-lock.yaml')))
  .update(readFileSync(at('pnpm-workspace.yaml')))
  .update(process.platform + process.arch)
  .digest('hex');

if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== hash) {
  console.log('Installing dependencies (once, and again when the lockfile changes) ...');
  const status = pnpm(['install', '--frozen-lockfile']);
  if (status !== 0) {
    console.error('The install failed: see above. It needs the npm registry; run the same command again.');
    process.exit(status);
  }
  writeFileSync(stamp, hash);
}
