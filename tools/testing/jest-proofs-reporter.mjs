// Jest reporter: keeps what tests noted by proves(...), when they passed, for whoever keeps the results of the run.
// Silent, and idle without FD_TEST_PROOFS.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { leaveProofs } from './results.mjs';
import { root } from '../workspace.mjs';

export default class ProofsReporter {
  constructor() {
    if (!process.env.FD_TEST_PROOFS) return;
    this.folder = mkdtempSync(join(tmpdir(), 'fd-proofs-'));
    this.notes = join(this.folder, 'notes.jsonl');
    writeFileSync(this.notes, '');
    process.env.FD_TEST_NOTES = this.notes; // the workers inherit it
  }

  onRunComplete(_contexts, { testResults }) {
    if (!this.notes) return;
    const lines = readFileSync(this.notes, 'utf8').split('\n').filter(Boolean);
    rmSync(this.folder, { recursive: true });
    const passed = new Set(
      testResults.flatMap(({ testFilePath, testResults: tests }) =>
        tests
          .filter(({ status }) => status === 'passed')
          .map(({ fullName }) => `${testFilePath} ${fullName}`),
      ),
    );
    const notes = lines.map((line) => JSON.parse(line));
    leaveProofs(
      notes
        .filter(({ file, test }) => passed.has(`${file} ${test}`))
        .map(({ file, ...note }) => ({ ...note, file: relative(root, file) })),
    );
  }
}
