// Reporter of node:test: leaves the numbers of a run, and what failed, for `npm test` to add up, and prints nothing.
import { failureText, leaveCounts } from './test-counts.mjs';

export default async function* countReporter(events) {
  const counts = { passed: 0, failed: 0, skipped: 0, failures: [] };
  for await (const { type, data } of events) {
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    // a suite is judged by its tests; a file that crashed outside of them is reported like a test
    if (data.details?.type === 'suite') continue;
    if (data.skip !== undefined || data.todo !== undefined) {
      counts.skipped += 1;
    } else if (type === 'test:pass') {
      counts.passed += 1;
    } else {
      const { error } = data.details;
      counts.failed += 1;
      counts.failures.push(failureText({ ...data, message: error?.cause?.stack ?? error?.message }));
    }
  }
  leaveCounts(counts);
  yield '';
}
