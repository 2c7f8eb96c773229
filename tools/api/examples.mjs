// npm run docs:examples [-- SPEC...]: runs these specs, by default all of both services, and stores one recorded HTTP exchange for
// each success of each call and for each error code in apps/*/openapi/examples.json. Former examples stay while they are valid
// and no recorded one shows more; so does everything of a spec that fails. Run `npm run docs` afterwards.
// Exit code 1: a named spec failed, or nothing was recorded.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { install } from '../bootstrap.mjs';
import { build } from '../build/build.mjs';
import { DOCUMENTED_SERVICES, documentPath, examplesPath } from './openapi-documents.mjs';
import { formatted, inTemporaryFolder, readIfThere, readJson, writeTo } from '../files.mjs';
import { root, toolEnvironment } from '../workspace.mjs';

/** Runs SPECS. Returns the exchanges of those that passed, and the names of those that failed. */
const record = (specs) =>
  inTemporaryFolder('examples', async (folder) => {
    const [exchanges, outcome] = ['exchanges.jsonl', 'outcome.json'].map((name) => join(folder, name));
    const env = { ...toolEnvironment(), FD_TEST_EXCHANGES: exchanges };
    spawnSync('jest', [...specs, '--json', `--outputFile=${outcome}`], { cwd: root, env, stdio: 'inherit' });
    const { testResults = [] } = JSON.parse(readIfThere(outcome) || '{}');
    const failed = testResults.filter(({ status }) => status === 'failed').map(({ name }) => basename(name));
    const lines = readIfThere(exchanges).split('\n').filter(Boolean);
    const recorded = lines.map((line) => JSON.parse(line)).filter(({ spec }) => !failed.includes(spec));
    return { recorded, failed };
  });

/** Ids in the catalogue's files, the same in every installation. */
const ISSUER_IDS = /"(?:f_issuer_id|f_product_id|f_investment_vehicle_id)":"([\da-f-]{36})"/g;

await install();
const { chooseExamples } = await import('./example-choice.mjs');
await build(['sandbox']);
const { errorOf } = await import(join(root, 'libs/errors/dist/index.js'));
const specs = process.argv.slice(2);
const all = DOCUMENTED_SERVICES.map((service) => `apps/${service}/test`);
const { recorded, failed } = await record(specs.length > 0 ? specs : all);

const formerOf = Object.fromEntries(
  DOCUMENTED_SERVICES.map((service) => [service, readJson(examplesPath(service))]),
);
const texts = [...recorded.map(({ answered }) => answered), formerOf].map((value) => JSON.stringify(value));
const fixedIds = new Set(texts.flatMap((text) => [...text.matchAll(ISSUER_IDS)].map(([, id]) => id)));
for (const service of DOCUMENTED_SERVICES) {
  const path = join(root, examplesPath(service));
  const examples = chooseExamples(readJson(documentPath(service)), recorded, formerOf[service], {
    fixedIds,
    errorOf,
  });
  const text = await formatted(path, JSON.stringify(examples));
  const isChanged = text !== readFileSync(path, 'utf8');
  if (isChanged) writeTo(path, text);
  console.log(
    `${isChanged ? 'wrote' : 'unchanged:'} ${examplesPath(service)}: ${examples.successes.length} successes, ${examples.refusals.length} refusals`,
  );
}
console.log(`${recorded.length} exchanges were recorded.`);
if (failed.length > 0)
  console.error(`These specs failed, and nothing of them was taken: ${failed.join(', ')}`);
if (recorded.length === 0 || (specs.length > 0 && failed.length > 0)) process.exitCode = 1;
