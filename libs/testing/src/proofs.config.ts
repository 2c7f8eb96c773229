import { appendFileSync } from 'node:fs';
import type promises from './promises.json';

/** A promise of `promises.json`, by its id. */
export type PromiseId = keyof typeof promises;

/** What a proof amounted to: amounts by what was counted ("requests", "lost"), or a word. */
export type Figures = Readonly<Record<string, number | string>>;

/**
 * Notes that the running test has proved a promise; it is to be the last thing that the test does. The note counts
 * only if the test passes, and is kept only by the runs that write results down: see docs/CONTRIBUTING.md.
 */
export function proves(promise: PromiseId, figures: Figures): void {
  const { testPath, currentTestName } = expect.getState();
  if (currentTestName === undefined) throw new Error('proves(...) belongs into a test');
  // named by the run's reporter, if it keeps results
  const file = process.env['FD_TEST_NOTES'];
  if (!file) return;
  // one line in one write: parallel workers do not mix
  appendFileSync(file, `${JSON.stringify({ promise, file: testPath, test: currentTestName, figures })}\n`);
}
