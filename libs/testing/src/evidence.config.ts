import { appendFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type promises from './promises.json';

const ROOT = join(import.meta.dirname, '../../..');

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
 * Records that the running test proves a promise. Call it last, so that a failing test records nothing. Only complete runs store
 * it: see docs/CONTRIBUTING.md.
 */
export function recordEvidence(promise: PromiseId, figures: Figures): void {
  const { testPath, currentTestName, currentConcurrentTestName } = expect.getState() as State;
  // for concurrent tests, currentTestName is the name of the last one started
  const test = currentConcurrentTestName?.() ?? currentTestName;
  if (test === undefined) throw new Error('recordEvidence(...) belongs in a test');
  // set by npm test and its siblings
  const file = process.env['FD_TEST_PROOFS'];
  if (!file) return;
  // one write for each line, so that lines of parallel workers do not mix
  appendFileSync(file, `${JSON.stringify({ promise, file: relative(ROOT, testPath), test, figures })}\n`);
}
