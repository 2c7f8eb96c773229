import { appendFileSync } from 'node:fs';
import type promises from './promises.json';

/** A promise of `promises.json`, by its id. */
export type PromiseId = keyof typeof promises;

/** What a test counted, by what it counted ("requests", "lost"), or a word. */
export type Figures = Readonly<Record<string, number | string>>;

/**
 * Records that the running test has proved a promise; call it last. The record counts only if the test passes, and only
 * runs that keep their results keep it: see docs/CONTRIBUTING.md.
 */
export function recordEvidence(promise: PromiseId, figures: Figures): void {
  const { testPath, currentTestName } = expect.getState();
  if (currentTestName === undefined) throw new Error('recordEvidence(...) belongs in a test');
  // named by the run's reporter, if it keeps results
  const file = process.env['FD_TEST_NOTES'];
  if (!file) return;
  // one line in one write: parallel workers do not mix
  appendFileSync(file, `${JSON.stringify({ promise, file: testPath, test: currentTestName, figures })}\n`);
}
