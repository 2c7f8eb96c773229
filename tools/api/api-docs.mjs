// npm run api:docs [-- --check]: makes what follows from the contract of the services: their OpenAPI documents, the types
// and error codes of libs/client, and the pages about errors. With --check nothing is written; exit code 1 names what is stale.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

// Before anything is imported that a fresh clone does not have yet.
const bootstrap = fileURLToPath(new URL('../bootstrap.mjs', import.meta.url));
const installed = spawnSync(process.execPath, [bootstrap], { stdio: 'inherit' });
if (installed.status !== 0) process.exit(installed.status ?? 1);

const { apiFiles } = await import('./api-files.mjs');
const { build } = await import('../build/build.mjs');
const { DOCUMENTED_SERVICES, servedDocument } = await import('./openapi-documents.mjs');
const { root } = await import('../workspace.mjs');

await build([...DOCUMENTED_SERVICES, 'sandbox']);
const documents = {};
for (const service of DOCUMENTED_SERVICES) documents[service] = await servedDocument(service);
const files = await apiFiles(documents);

const stale = Object.entries(files).filter(([path, text]) => {
  const file = join(root, path);
  return !existsSync(file) || readFileSync(file, 'utf8') !== text;
});
if (process.argv.includes('--check')) {
  for (const [path] of stale) console.error(`${path} is stale: npm run api:docs`);
  if (stale.length === 0) console.log('everything is up to date');
  process.exitCode = stale.length > 0 ? 1 : 0;
} else {
  for (const [path, text] of stale) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
    console.log(`wrote ${path}`);
  }
  if (stale.length === 0) console.log('nothing has changed');
}
