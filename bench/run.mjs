// npm run bench [-- --quick] [--only=PARTS] [--rounds=N] [--requests=N] [--earlier=FOLDER]: measures both services beside bare routes, a
// hand-written floor and a peer, in one run, and writes .results/bench/results.json and docs/performance.md.
// A round sends REQUESTS to each contender. FOLDER is a built checkout of an earlier commit, whose users-service becomes a contender
// too. PARTS are catalogue and login, or growth, which takes an hour.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from '../tools/build/build.mjs';
import { watchForEnd } from '../tools/processes/endings.mjs';
import { root } from '../tools/workspace.mjs';
import { measureGrowth } from './growth.mjs';
import { measureLogin } from './login.mjs';
import { measureCatalogue } from './catalogue.mjs';
import { judged } from './goals.mjs';
import { writePage } from './page.mjs';
import { nodeVersion } from './server.mjs';
import { startStores } from './stores.mjs';

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    requests: { type: 'string' },
    only: { type: 'string' },
    earlier: { type: 'string' },
  },
});
/** Quick runs only show that everything works. */
const options = {
  rounds: Number(values.rounds ?? (values.quick ? 1 : 5)),
  requests: Number(values.requests ?? (values.quick ? 300 : 1_000)),
  /** Warm-up requests to each contender, since code is compiled late. */
  warmUp: values.quick ? 300 : 5_000,
  isQuick: values.quick,
  earlier: values.earlier && resolve(values.earlier),
};

const say = (line) => console.log(`[bench] ${line}`);

const parts = {
  catalogue: measureCatalogue,
  login: measureLogin,
  growth: measureGrowth,
};
const chosen = values.only?.split(',') ?? ['catalogue', 'login'];

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
    node: nodeVersion,
  },
  options,
};
try {
  for (const name of chosen) {
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
for (const { what, is, goal, isMet } of judged(results))
  say(`${isMet ? 'met' : 'MISSED'}: ${what}: ${is.median.toPrecision(3)}, goal ${goal}`);
say(`figures: ${join(folder, 'results.json')}`);
process.exitCode = ending.exitCode();
