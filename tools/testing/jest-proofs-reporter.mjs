// Jest reporter: stores the evidence of passed tests, recorded by recordEvidence(...), in the results of the run. Does nothing
// without FD_TEST_PROOFS.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { storeProofs } from './results.mjs';
import { specFoldersOf } from './spec-folders.mjs';
import { root } from '../workspace.mjs';

/** The spec of a test: a Jest file that runs the specs of a folder puts their names before the titles. */
function sourceOf(file, test) {
  const [, spec] = /^(\S+\.spec\.ts) /.exec(test) ?? [];
  if (!spec) return file;
  const paths = specFoldersOf(file).map((folder) => join(folder, spec));
  return paths.find((path) => existsSync(path)) ?? file;
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
