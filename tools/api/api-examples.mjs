// npm run docs:examples [-- FILE]: runs the tests of the services and stores one recorded HTTP exchange for each success of each
// call and for each error code in apps/*/openapi/examples.json. FILE: an earlier recording, made with FD_TEST_EXCHANGES. Run
// `npm run docs` afterwards.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chooseExamples } from './example-choice.mjs';
import { DOCUMENTED_SERVICES, documentPath, examplesPath } from './openapi-documents.mjs';
import { formatted, readIfThere, writeTo } from '../files.mjs';
import { root, toolEnvironment } from '../workspace.mjs';

function record() {
  const file = join(mkdtempSync(join(tmpdir(), 'fd-examples-')), 'exchanges.jsonl');
  const env = { ...toolEnvironment(), FD_TEST_EXCHANGES: file };
  const tests = DOCUMENTED_SERVICES.map((name) => `apps/${name}/test`);
  const { status } = spawnSync('npm', ['test', '--', ...tests], { cwd: root, env, stdio: 'inherit' });
  if (status !== 0) throw new Error('The tests failed: no examples are taken from them.');
  return file;
}

const file = process.argv[2] ?? record();
const recorded = readFileSync(file, 'utf8')
  .split('\n')
  .filter(Boolean)
  .map((line) => JSON.parse(line));

/** Ids in the catalogue's files, the same in every installation. */
const ISSUER_IDS = /"(?:f_issuer_id|f_product_id|f_investment_vehicle_id)":"([\da-f-]{36})"/g;
const fixedIds = new Set(
  recorded.flatMap(({ answered }) => [...JSON.stringify(answered).matchAll(ISSUER_IDS)].map(([, id]) => id)),
);

for (const service of DOCUMENTED_SERVICES) {
  const document = JSON.parse(readFileSync(join(root, documentPath(service)), 'utf8'));
  const path = join(root, examplesPath(service));
  const former = JSON.parse(readIfThere(path) || '{}');
  const examples = chooseExamples(document, recorded, former, fixedIds);
  writeTo(path, await formatted(path, JSON.stringify(examples)));
  console.log(
    `wrote ${examplesPath(service)}: ${examples.successes.length} successes, ${examples.refusals.length} refusals`,
  );
}
