// Evidence of the latest complete runs of npm test, test:system and test:soak: a folder for each in .results, with run.json
// (the run) and proofs.jsonl (a line for each proof). docs/CONTRIBUTING.md describes the format.
import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readIfThere } from '../files.mjs';
import { root } from '../workspace.mjs';

const linesOf = (objects) => objects.map((object) => `${JSON.stringify(object)}\n`).join('');
const folderOf = (target, base) => join(base, '.results', target);

/** Adds proofs to the results of this run; does nothing when the run stores none. */
export function storeProofs(proofs, file = process.env.FD_TEST_PROOFS) {
  if (file && proofs.length > 0) appendFileSync(file, linesOf(proofs));
}

/** The checked-out commit, and whether files differ from it. Unknown without git. */
export function checkedOut(folder = root) {
  const git = (...args) => spawnSync('git', args, { cwd: folder, encoding: 'utf8' });
  const { status, stdout } = git('rev-parse', '--short=12', 'HEAD');
  if (status !== 0) return { commit: 'unknown', isModified: false };
  return { commit: stdout.trim(), isModified: git('status', '--porcelain').stdout !== '' };
}

/** Replaces the results of TARGET by RUN and the proofs of its projects in FILE. */
export function keepResults(target, run, file, base = root) {
  const folder = folderOf(target, base);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'run.json'), `${JSON.stringify(run, null, 2)}\n`);
  writeFileSync(join(folder, 'proofs.jsonl'), readIfThere(file));
}

/** The latest complete run of TARGET with its proofs, or undefined. */
export function readResults(target, base = root) {
  const folder = folderOf(target, base);
  const run = JSON.parse(readIfThere(join(folder, 'run.json')) || 'null');
  if (!run) return undefined;
  const lines = readFileSync(join(folder, 'proofs.jsonl'), 'utf8').split('\n').filter(Boolean);
  return { ...run, proofs: lines.map((line) => JSON.parse(line)) };
}
