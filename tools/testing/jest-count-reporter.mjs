// Jest reporter: leaves the numbers of a run, and what failed, for `npm test` to add up. Silent, and idle without
// FD_TEST_COUNTS.
import { failureText, leaveCounts } from './test-counts.mjs';

function failuresOf({ testFilePath: file, testExecError, failureMessage, testResults = [] }) {
  if (testExecError) return [failureText({ file, name: 'could not be loaded', message: failureMessage })];
  return testResults
    .filter(({ status }) => status === 'failed')
    .map(({ fullName, failureMessages }) =>
      failureText({ file, name: fullName, message: failureMessages.join('\n') }),
    );
}

export default class CountReporter {
  onRunComplete(_contexts, results) {
    leaveCounts({
      passed: results.numPassedTests,
      // a file that could not even be loaded has no tests to count, but it did fail
      failed: results.numFailedTests + results.numRuntimeErrorTestSuites,
      skipped: results.numPendingTests + results.numTodoTests,
      failures: results.testResults.flatMap(failuresOf),
    });
  }
}
