// Reporter of node:test: stores the counts and failures of a run for `npm test`, and prints nothing.
import { failureText, storeCounts } from './test-counts.mjs';

export default async function* countReporter(events) {
  const counts = { passed: 0, failed: 0, skipped: 0, failures: [] };
  for await (const { type, data } of events) {
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    // suites are not counted; a file that crashed outside of its tests is reported like a test
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
  storeCounts(counts);
  yield '';
}
