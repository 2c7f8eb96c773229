// node tools/build/build-console.mjs: makes what the sandbox serves to browsers, with Vite; nothing when it is up to date.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { runProgram } from '../processes/commands.mjs';
import { appFolder, root, toolEnvironment } from '../workspace.mjs';

const app = appFolder('sandbox');
const sources = join(app, 'console');
const stamp = join(app, 'dist/browser/.stamp');

/** Every file that the result depends on. */
const inputs = () => [
  ...readdirSync(sources, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.spec.ts'))
    .map((entry) => join(entry.parentPath, entry.name)),
  join(app, 'public/theme.css'),
  join(app, 'vite.config.mjs'),
  join(root, 'pnpm-lock.yaml'),
];

function digest() {
  const hash = createHash('sha256');
  for (const file of inputs().sort()) hash.update(file.slice(root.length)).update(readFileSync(file));
  return hash.digest('hex');
}

/** @throws Error with Vite's words when it cannot be built */
export async function buildConsole({ signal } = {}) {
  // a checkout with stand-ins for the services has none
  if (!existsSync(sources)) return;
  const wanted = digest();
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  const vite = join(app, 'node_modules/.bin/vite');
  const options = { cwd: app, env: toolEnvironment(), signal };
  const { status, output } = await runProgram(vite, ['build', '--logLevel', 'warn'], options);
  if (status !== 0) throw new Error(`The console does not build:\n${output}`);
  writeFileSync(stamp, wanted);
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await buildConsole().catch((error) => {
    console.error(error.message);
    process.exit(1);
  });
}
