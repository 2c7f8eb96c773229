// Jest reporter: fails a complete run that has not raised every code of the error catalogue over HTTP. The tests' API client
// records the codes of its answers in the file that this reporter names.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export default class ErrorCodesReporter {
  constructor(globalConfig) {
    this.projects = globalConfig.projects.length;
    // a partial run cannot raise all codes
    this.isComplete =
      globalConfig.testPathPatterns.patterns.length === 0 &&
      !globalConfig.testNamePattern &&
      !globalConfig.onlyChanged;
    this.folder = mkdtempSync(join(tmpdir(), 'fd-error-codes-'));
    this.file = join(this.folder, 'codes');
    writeFileSync(this.file, '');
    process.env.FD_TEST_ERROR_CODES = this.file; // the workers inherit it
  }

  /** CONTEXTS: one for each project of the run. */
  async onRunComplete(contexts, results) {
    const raised = new Set(readFileSync(this.file, 'utf8').split('\n'));
    rmSync(this.folder, { recursive: true });
    if (
      !this.isComplete ||
      contexts.size < this.projects ||
      results.numFailedTests > 0 ||
      results.wasInterrupted
    )
      return;
    const { ERROR_CODES } = await import('../../libs/errors/dist/index.js');
    const missing = ERROR_CODES.filter((code) => !raised.has(code));
    if (missing.length === 0) return;
    this.error = new Error(`No test raises ${missing.join(', ')} over HTTP.`);
    // Jest fails the run without saying why
    console.error(this.error.message);
  }

  /** Called by Jest at the end; an error fails the run. */
  getLastError() {
    return this.error;
  }
}
