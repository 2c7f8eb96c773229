// Jest reporter: stores the evidence of passed tests, recorded by recordEvidence(...), in the results of the run. Does nothing
// without FD_TEST_PROOFS.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { storeProofs } from './results.mjs';
import { root } from '../workspace.mjs';

/** The spec of a test: a Jest file that runs the specs of a folder puts their names before the titles. */
function sourceOf(file, test) {
  const [, spec] = /^(\S+\.spec\.ts) /.exec(test) ?? [];
  if (!spec) return file;
  // units.spec.ts runs the specs of several folders
  const folders = [
    file.replace(/\.spec\.ts$/, ''),
    join(dirname(file), '../src'),
    join(dirname(file), 'support'),
  ];
  return folders.map((folder) => join(folder, spec)).find((path) => existsSync(path)) ?? file;
}

export default class ProofsReporter {
  constructor() {
    if (!process.env.FD_TEST_PROOFS) return;
    this.notes = `${process.env.FD_TEST_PROOFS}.${process.pid}.notes`;
    writeFileSync(this.notes, '');
    process.env.FD_TEST_NOTES = this.notes; // the workers inherit it
  }

  onRunComplete(_contexts, { testResults: files }) {
    if (!this.notes) return;
    const lines = readFileSync(this.notes, 'utf8').split('\n').filter(Boolean);
    rmSync(this.notes);
    const hasPassed = ({ file, test }) =>
      files
        .filter(({ testFilePath }) => testFilePath === file)
        .some(({ testResults }) =>
          testResults.some(({ status, fullName }) => status === 'passed' && fullName === test),
        );
    storeProofs(
      lines
        .map((line) => JSON.parse(line))
        .filter(hasPassed)
        .map(({ file, ...note }) => ({ ...note, file: relative(root, sourceOf(file, note.test)) })),
    );
  }
}
