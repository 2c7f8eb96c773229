// npm run api:docs [-- --check]: generates the OpenAPI documents of the services, the types and error codes of libs/client, and
// the pages about errors. --check writes nothing; exit code 1 lists stale files.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { apiFiles } from './api-files.mjs';
import { DOCUMENTED_SERVICES } from './openapi-documents.mjs';
import { build } from '../build/build.mjs';
import { developmentEnvironment } from '../dev/dev-env.mjs';
import { readIfThere, writeTo } from '../files.mjs';
import { until } from '../processes/processes.mjs';
import { freePort } from '../stores/ports.mjs';
import { appFolder, root } from '../workspace.mjs';

/** URLs without a server: a service starts and serves its document without stores. */
const NO_STORES = { databaseUrl: 'postgres://127.0.0.1:1/none', redisUrl: 'redis://127.0.0.1:1' };

/** The document that the built SERVICE serves at /openapi.json. */
async function servedDocument(service) {
  const port = await freePort();
  const child = spawn(process.execPath, [join(appFolder(service), 'dist/main.js')], {
    env: {
      ...(await developmentEnvironment(service, NO_STORES)),
      PORT: String(port),
      LOG_LEVEL: 'fatal',
      // an address of one machine has no place in the documents
      GUIDE_URL: '',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  try {
    const served = async () => {
      const answer = await fetch(`http://127.0.0.1:${port}/openapi.json`).catch(() => undefined);
      return answer?.ok ? answer.json() : child.exitCode !== null;
    };
    const document = await until(served, { limit: 60_000, every: 100 });
    if (typeof document !== 'object') throw new Error(`${service} does not start`);
    return document;
  } finally {
    // it has no state to clean up
    child.kill('SIGKILL');
  }
}

await build([...DOCUMENTED_SERVICES, 'sandbox']);
const documents = {};
for (const service of DOCUMENTED_SERVICES) documents[service] = await servedDocument(service);
const isCheck = process.argv.includes('--check');
const stale = Object.entries(await apiFiles(documents)).filter(
  ([path, text]) => readIfThere(join(root, path)) !== text,
);
for (const [path, text] of stale) {
  if (isCheck) {
    console.error(`${path} is stale: npm run api:docs`);
    process.exitCode = 1;
  } else {
    writeTo(join(root, path), text);
    console.log(`wrote ${path}`);
  }
}
if (stale.length === 0) console.log('everything is up to date');
