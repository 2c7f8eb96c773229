// Jest reporter: leaves the numbers of a run for `npm test` to add up. Silent, and idle without FD_TEST_COUNTS.
import { leaveCounts } from './test-counts.mjs';

export default class CountReporter {
  onRunComplete(_contexts, results) {
    leaveCounts({
      passed: results.numPassedTests,
      // a file that could not even be loaded has no tests to count, but it did fail
      failed: results.numFailedTests + results.numRuntimeErrorTestSuites,
      skipped: results.numPendingTests + results.numTodoTests,
    });
  }
}
