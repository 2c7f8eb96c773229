// node tools/testing/test-run.mjs KIND [ARGS]: runs all tests of a kind against one temporary PostgreSQL and Redis, and prints
// the failures and, as the last line, the sum. ARGS go to the last step; then the other steps do not run.
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from '../build/build.mjs';
import { fired, watchForEnd } from '../processes/endings.mjs';
import { throwawayInfra } from '../stores/infra.mjs';
import { end, endGroupOnDeath, signal } from '../processes/processes.mjs';
import { checkedOut, keepResults } from './results.mjs';
import { closingLine, failuresIn, sumCounts } from './test-counts.mjs';
import { root, toolEnvironment } from '../workspace.mjs';

/** The tools' tests. Without Nx, which needs four seconds of processor time for a fresh checkout. */
const toolTests = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).nx.targets.test.command;

const everyProject = (target, parallel) =>
  `nx run-many -t ${target} --parallel=${parallel} --output-style=static`.split(' ');

/**
 * The command of each kind and its steps; ARGS go to the last one. `prepare` runs before them; a run that takes longer than
 * `limitMinutes` is ended and fails.
 */
const KINDS = {
  // the tools' tests, then all projects in one Jest
  test: {
    command: 'npm test',
    // other projects' tests use the built sandbox
    prepare: (signal) => build(['sandbox'], { signal }),
    steps: [['sh', '-c', toolTests], ['jest']],
  },
  // starts, kills and breaks whole processes and stores; users-service's tests mostly wait for leases to expire, so those of
  // the other projects run beside them
  system: { command: 'npm run test:system', steps: [everyProject('system', 2)], limitMinutes: 45 },
  // takes too long for both; measures, so one project at a time, and stores more than a machine may have memory for
  soak: {
    command: 'npm run test:soak',
    steps: [everyProject('soak', 1)],
    limitMinutes: 90,
    inMemory: false,
  },
};

const say = (line) => console.log(`[test] ${line}`);

/** Runs one step and ends all its processes. Returns its exit code. */
async function runStep([program, ...args], env, asked) {
  const stdio = ['ignore', 'inherit', 'inherit'];
  const child = spawn(program, args, { cwd: root, env, detached: true, stdio });
  const cancelEnd = endGroupOnDeath(child.pid);
  const exited = new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
  const status = await Promise.race([exited, fired(asked)]);
  // Nx gives the projects five seconds before it kills them
  if (asked.aborted) await end(child.pid, 'SIGTERM', 10_000);
  signal(-child.pid, 'SIGKILL');
  await cancelEnd();
  return status ?? 1;
}

/** Runs all steps. Returns the first exit code that is not 0, or 0, and the sum. Stores the results of a complete run. */
async function runTests(kind, args, asked) {
  const { command, prepare, steps, inMemory } = KINDS[kind];
  const run = { command, at: new Date().toISOString(), ...checkedOut() };
  say('Starting a PostgreSQL and a Redis for this run ...');
  const infra = await throwawayInfra(command, say, { inMemory });
  try {
    asked.throwIfAborted();
    await prepare?.(asked);
    const countsFolder = join(infra.temporary, 'counts');
    mkdirSync(countsFolder);
    const proofsFile = join(infra.temporary, 'proofs.jsonl');
    const env = {
      ...toolEnvironment(),
      FD_TEST_DATABASE_URL: infra.databaseUrl,
      FD_TEST_REDIS_URL: infra.redisUrl,
      FD_TEST_COUNTS: countsFolder,
      FD_TEST_PROOFS: proofsFile,
      // removed at the end, even if a test was interrupted
      TMPDIR: infra.temporary,
    };
    // a test that names no database must not find the developer's
    for (const name of ['DATABASE_URL', 'REDIS_URL', 'NODE_ENV']) delete env[name];
    let status = 0;
    for (const [index, step] of steps.entries()) {
      const isLast = index === steps.length - 1;
      // with ARGS only the named tests run
      if (!isLast && args.length > 0) continue;
      const code = await runStep(isLast ? [...step, ...args] : step, env, asked);
      status ||= code;
    }
    const counts = sumCounts(countsFolder);
    const isComplete = args.length === 0 && !asked.aborted;
    if (isComplete) keepResults(kind, { ...run, ...judge({ status, counts }).counts }, proofsFile);
    return { status, counts, failures: failuresIn(countsFolder) };
  } finally {
    await infra.release();
  }
}

/** Returns the counts, remarks, and whether the run succeeded. An error outside of any test is a failure too. */
function judge({ status, counts }) {
  const ran = counts.passed + counts.failed;
  const failed = status !== 0 && counts.failed === 0 ? 1 : counts.failed;
  const remarks = [
    ...(failed > counts.failed
      ? ['Something failed outside of a test: see above. It counts as one failure.']
      : []),
    ...(ran === 0 ? ['Not one test ran.'] : []),
  ];
  return { counts: { ...counts, failed }, remarks, isGood: status === 0 && failed === 0 && ran > 0 };
}

/** Runs everything, prints the sum and ends this process. */
async function main(kind, args) {
  const ending = watchForEnd();
  const { limitMinutes } = KINDS[kind];
  const limits = limitMinutes ? [AbortSignal.timeout(limitMinutes * 60_000)] : [];
  const asked = AbortSignal.any([ending.asked, ...limits]);
  const outcome = await runTests(kind, args, asked).catch((error) => {
    if (!asked.aborted) console.error(error.message);
    return { status: 1, counts: { passed: 0, failed: 0, skipped: 0 }, failures: [] };
  });
  if (asked.aborted && !ending.asked.aborted) say(`Ended after ${limitMinutes} minutes.`);
  const { counts, remarks, isGood } = judge(outcome);
  outcome.failures.forEach((text) => console.log(`\n${text}\n`));
  remarks.forEach(say);
  console.log(closingLine(counts));
  process.exit(ending.exitCode() || (isGood ? 0 : 1));
}

const [kind, ...args] = process.argv.slice(2);
if (!Object.hasOwn(KINDS, kind ?? '')) {
  console.error(`Usage: node tools/testing/test-run.mjs ${Object.keys(KINDS).join(' | ')} [ARGS]`);
  process.exit(2);
}
await main(kind, args);
