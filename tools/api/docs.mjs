// npm run docs [-- --check]: generates everything that is generated and in git: diagrams, journeys, promises, OpenAPI documents,
// types and error codes of libs/client, pages about errors, exchanges in pages. --check writes nothing; exit code 1 lists stale
// files.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { install } from '../bootstrap.mjs';
import { DOCUMENTED_SERVICES } from './openapi-documents.mjs';
import { build } from '../build/build.mjs';
import { developmentEnvironment } from '../dev/dev-env.mjs';
import { formatted, read, readIfThere, readJson, writeTo } from '../files.mjs';
import { runProgram, until } from '../processes/processes.mjs';
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

/** The page of promises and the results that it shows. A check takes the committed ones: later runs make no page stale. */
async function trustFiles(isCheck) {
  const { readResults } = await import('../testing/results.mjs');
  const { COMMANDS, specsOf, summaryOf, trustPage } = await import('../testing/trust-page.mjs');
  const results = JSON.parse(readIfThere(join(root, 'docs/trust-results.json')) || '{}');
  for (const kind of isCheck ? [] : Object.keys(COMMANDS)) {
    const run = readResults(kind);
    if (run) results[kind] = summaryOf(run);
  }
  const promises = readJson('libs/testing/src/promises.json');
  return {
    'docs/trust.md': trustPage(promises, specsOf(Object.keys(promises)), results),
    'docs/trust-results.json': JSON.stringify(results),
  };
}

/** Every generated file by path. */
async function generatedFiles({ isCheck }) {
  await build([...DOCUMENTED_SERVICES, 'sandbox']);
  const { withDiagrams } = await import('../architecture/architecture.mjs');
  const { apiFiles } = await import('./api-files.mjs');
  const cli = join(appFolder('users-service'), 'dist/cli.js');
  const documents = {};
  for (const service of DOCUMENTED_SERVICES) documents[service] = await servedDocument(service);
  const texts = {
    'docs/architecture.md': withDiagrams(read('docs/architecture.md')),
    'docs/journey.md': await runProgram('There is no page of journeys', process.execPath, [
      cli,
      'journey:docs',
    ]),
    ...(await trustFiles(isCheck)),
    ...(await apiFiles(documents)),
  };
  for (const [path, text] of Object.entries(texts)) texts[path] = await formatted(join(root, path), text);
  return texts;
}

await install();
const isCheck = process.argv.includes('--check');
const files = Object.entries(await generatedFiles({ isCheck }));
const stale = files.filter(([path, text]) => readIfThere(join(root, path)) !== text);
for (const [path, text] of stale) {
  if (isCheck) {
    console.error(`${path} is stale: npm run docs`);
    process.exitCode = 1;
  } else {
    writeTo(join(root, path), text);
    console.log(`wrote ${path}`);
  }
}
if (stale.length === 0) console.log(`all ${files.length} generated files are up to date`);
