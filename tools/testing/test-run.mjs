// node tools/testing/test-run.mjs test|system|release [ARGS]: runs all tests of a kind and prints their sum as the last line. ARGS go
// to Jest; then nothing else runs.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { install } from '../bootstrap.mjs';
import { fired, watchForEnd } from '../processes/endings.mjs';
import { end, endGroupOnDeath, signal } from '../processes/processes.mjs';
import { readIfThere } from '../files.mjs';
import { root, toolEnvironment } from '../workspace.mjs';
import { jestFlags } from './node-for-jest.mjs';
import { checkedOut, keepResults } from './results.mjs';
import { COMMANDS } from './trust-page.mjs';

const jest = (...args) => [...jestFlags, 'node_modules/jest/bin/jest.js', ...args];
const toolTests = (suffix) => [
  '--test',
  '--test-concurrency=2',
  '--test-reporter=spec',
  `{tools,bench,deploy,docker}/**/*.${suffix}.mjs`,
];

/** Arguments of Node.js for each step of a kind; a run that takes longer than limitMinutes is ended and fails. */
const KINDS = {
  test: {
    steps: [toolTests('spec'), jest('--selectProjects', 'unit', 'service')],
    limitMinutes: 90,
  },
  system: {
    steps: [
      toolTests('system'),
      jest('--selectProjects', 'sandbox', 'system'),
      // tests of a time limit get a core each, so that only the limit decides them
      jest('--selectProjects', 'limits', '--maxWorkers=2'),
    ],
    limitMinutes: 90,
  },
  release: {
    // measures, so one file at a time
    steps: [toolTests('release'), jest('--selectProjects', 'release', '--runInBand')],
    limitMinutes: 300,
  },
};

/** Sums in the last lines that the two runners print. */
const SUMS = {
  passed: [/^ℹ pass (\d+)$/m, /^Tests:.*?(\d+) passed/m],
  failed: [/^ℹ fail (\d+)$/m, /^Tests:.*?(\d+) failed/m],
  skipped: [/^ℹ (?:skipped|todo) (\d+)$/m, /^Tests:.*?(\d+) skipped/m],
};

const sumsIn = (output) =>
  Object.fromEntries(
    Object.entries(SUMS).map(([name, patterns]) => [
      name,
      patterns.reduce((sum, pattern) => sum + Number(pattern.exec(output)?.[1] ?? 0), 0),
    ]),
  );

/** Runs one step and ends all its processes. A step that fails outside of any test counts as one failure. */
async function runStep(args, env, asked) {
  const child = spawn(process.execPath, args, {
    cwd: root,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const cancelEnd = endGroupOnDeath(child.pid);
  let ending = '';
  for (const [from, to] of [
    [child.stdout, process.stdout],
    [child.stderr, process.stderr],
  ])
    from.setEncoding('utf8').on('data', (text) => {
      to.write(text);
      ending = (ending + text).slice(-100_000);
    });
  const closed = new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
  const status = await Promise.race([closed, fired(asked)]);
  if (asked.aborted) await end(child.pid, 'SIGTERM', 10_000);
  signal(-child.pid, 'SIGKILL');
  await cancelEnd();
  const sums = sumsIn(stripVTControlCharacters(ending));
  if (status !== 0 && sums.failed === 0) {
    console.error(`Failed outside of a test: node ${args.join(' ').slice(0, 120)}`);
    sums.failed = 1;
  }
  return sums;
}

/** The codes of the error catalogue that no test has raised over HTTP; FILE has those that were, a line each. */
async function unraisedCodes(file) {
  const raised = new Set(readFileSync(file, 'utf8').split('\n'));
  const { ERROR_CODES } = await import('../../libs/errors/dist/index.js');
  return ERROR_CODES.filter((code) => !raised.has(code));
}

async function runAll(kind, args, asked) {
  const { steps } = KINDS[kind];
  const run = { command: COMMANDS[kind], at: new Date().toISOString(), ...checkedOut() };
  const folder = mkdtempSync(join(tmpdir(), 'fd-run-'));
  const [proofs, codes] = ['proofs.jsonl', 'codes'].map((name) => join(folder, name));
  for (const file of [proofs, codes]) writeFileSync(file, '');
  const isComplete = args.length === 0;
  const env = { ...toolEnvironment(), FD_TEST_PROOFS: proofs, FD_TEST_ERROR_CODES: codes };
  const sum = { passed: 0, failed: 0, skipped: 0 };
  try {
    for (const step of isComplete ? steps : [jest(...args)]) {
      if (asked.aborted) break;
      const sums = await runStep(step, env, asked);
      for (const name of Object.keys(sum)) sum[name] += sums[name];
    }
    if (isComplete && kind === 'test' && sum.failed === 0) {
      const missing = await unraisedCodes(codes);
      if (missing.length > 0) console.error(`No test raises ${missing.join(', ')} over HTTP.`);
      sum.failed += missing.length > 0 ? 1 : 0;
    }
    if (isComplete && !asked.aborted) keepResults(kind, { ...run, ...sum }, readIfThere(proofs));
    return sum;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const [kind, ...args] = process.argv.slice(2);
if (!Object.hasOwn(KINDS, kind ?? '')) {
  console.error(`Usage: node tools/testing/test-run.mjs ${Object.keys(KINDS).join(' | ')} [ARGS]`);
  process.exit(2);
}
await install({ node: '24.9' });
const ending = watchForEnd();
const { limitMinutes } = KINDS[kind];
const limit = AbortSignal.timeout(limitMinutes * 60_000);
const { passed, failed, skipped } = await runAll(kind, args, AbortSignal.any([ending.asked, limit]));
if (limit.aborted) console.error(`Ended after ${limitMinutes} minutes.`);
if (passed + failed === 0) console.error('Not one test ran.');
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exit(ending.exitCode() || (failed === 0 && passed > 0 && !limit.aborted ? 0 : 1));
