// npm run bench [-- --quick] [--rounds=N] [--seconds=N] [--only=PARTS]: measures both services beside bare servers
// and a peer, in one run, and writes .results/bench/results.json and docs/performance.md.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from '../tools/build/build.mjs';
import { watchForEnd } from '../tools/processes/endings.mjs';
import { root } from '../tools/workspace.mjs';
import { measureAllocation } from './allocation.mjs';
import { measureCeilings } from './ceilings.mjs';
import { measureGrowth } from './growth.mjs';
import { measureLogin } from './login.mjs';
import { measureCatalogue } from './catalogue.mjs';
import { measureComputing } from './computing.mjs';
import { writePage } from './page.mjs';
import { measureStarts } from './starts.mjs';
import { startStores } from './stores.mjs';

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    only: { type: 'string' },
  },
});
/** Quick runs show that everything works; their figures are not worth keeping. */
const options = {
  rounds: Number(values.rounds ?? (values.quick ? 1 : 5)),
  seconds: Number(values.seconds ?? (values.quick ? 1 : 4)),
  isQuick: values.quick,
};

const say = (line) => console.log(`[bench] ${line}`);

const parts = {
  computing: measureComputing,
  starts: measureStarts,
  catalogue: measureCatalogue,
  login: measureLogin,
  allocation: measureAllocation,
  ceilings: measureCeilings,
  growth: measureGrowth,
};
const wanted = values.only?.split(',') ?? Object.keys(parts);

const ending = watchForEnd();
await build(['users-service', 'master-service'], { signal: ending.asked });
const stores = await startStores(say);
const results = {
  at: new Date().toISOString(),
  commit: execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim(),
  machine: {
    processors: cpus().length,
    model: cpus()[0].model,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    node: process.version,
  },
  options,
};
try {
  for (const name of wanted) {
    if (ending.asked.aborted) break;
    say(name);
    results[name] = await parts[name]({ stores, say, ...options });
  }
} finally {
  await stores.release();
}
const folder = join(root, '.results/bench');
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, 'results.json'), `${JSON.stringify(results, null, 2)}\n`);
if (!options.isQuick && !values.only && !ending.asked.aborted) await writePage(results);
say(`figures: ${join(folder, 'results.json')}`);
process.exitCode = ending.exitCode();
