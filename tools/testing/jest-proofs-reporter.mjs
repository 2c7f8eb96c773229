// Jest reporter: keeps what passed tests recorded by recordEvidence(...), for the results of the run. Idle without
// FD_TEST_PROOFS.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { leaveProofs } from './results.mjs';
import { root } from '../workspace.mjs';

/** The spec of a test: a Jest file that runs the specs of a folder names them at the head of their tests. */
function sourceOf(file, test) {
  const [, spec] = /^(\S+\.spec\.ts) /.exec(test) ?? [];
  return spec ? join(file.replace(/\.spec\.ts$/, ''), spec) : file;
}

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
        .map(({ file, ...note }) => ({ ...note, file: relative(root, sourceOf(file, note.test)) })),
    );
  }
}
