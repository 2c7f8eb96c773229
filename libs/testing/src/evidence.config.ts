import { appendFileSync } from 'node:fs';
import type promises from './promises.json';

/** A promise of `promises.json`, by its id. */
export type PromiseId = keyof typeof promises;

/** A test's figures or words by name ("requests", "lost"). */
export type Figures = Readonly<Record<string, number | string>>;

/** Jest's state of `expect`, of which its types lack the last field. */
interface State {
  readonly testPath: string;
  readonly currentTestName?: string;
  readonly currentConcurrentTestName?: () => string | undefined;
}

/**
 * Records that the running test proves a promise; call it last. It counts only if the test passes, and is stored only by
 * complete runs: see docs/CONTRIBUTING.md.
 */
export function recordEvidence(promise: PromiseId, figures: Figures): void {
  const { testPath, currentTestName, currentConcurrentTestName } = expect.getState() as State;
  // for concurrent tests, currentTestName is the name of the last one started
  const test = currentConcurrentTestName?.() ?? currentTestName;
  if (test === undefined) throw new Error('recordEvidence(...) belongs in a test');
  // set by the run's reporter if it stores results
  const file = process.env['FD_TEST_NOTES'];
  if (!file) return;
  // one write for each line, so that lines of parallel workers do not mix
  appendFileSync(file, `${JSON.stringify({ promise, file: testPath, test, figures })}\n`);
}
