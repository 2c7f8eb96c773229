// Evidence of the latest complete runs of npm test, test:system and test:release: a folder for each in .results, with run.json (the
// run) and proofs.jsonl (a line for each proof). docs/CONTRIBUTING.md describes the format.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readIfThere } from '../files.mjs';
import { root } from '../workspace.mjs';

const folderOf = (kind) => join(root, '.results', kind);

/** The checked-out commit, and whether files differ from it. Unknown without git. */
export function checkedOut() {
  const git = (...args) => spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  const { status, stdout } = git('rev-parse', '--short=12', 'HEAD');
  if (status !== 0) return { commit: 'unknown', isModified: false };
  return { commit: stdout.trim(), isModified: git('status', '--porcelain').stdout !== '' };
}

/** Replaces the results of KIND by RUN and its PROOFS (JSON lines). */
export function keepResults(kind, run, proofs) {
  rmSync(folderOf(kind), { recursive: true, force: true });
  mkdirSync(folderOf(kind), { recursive: true });
  writeFileSync(join(folderOf(kind), 'run.json'), `${JSON.stringify(run, null, 2)}\n`);
  writeFileSync(join(folderOf(kind), 'proofs.jsonl'), proofs);
}

/** The latest complete run of KIND with its proofs, or undefined. */
export function readResults(kind) {
  const run = JSON.parse(readIfThere(join(folderOf(kind), 'run.json')) || 'null');
  if (!run) return undefined;
  const lines = readFileSync(join(folderOf(kind), 'proofs.jsonl'), 'utf8')
    .split('\n')
    .filter(Boolean);
  return { ...run, proofs: lines.map((line) => JSON.parse(line)) };
}
