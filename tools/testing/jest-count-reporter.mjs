// Jest reporter: stores the counts and failures of a run for `npm test`, and ends a Jest that does not exit. Prints nothing
// else; without FD_TEST_COUNTS it counts nothing.
import { failureText, storeCounts } from './test-counts.mjs';

function failuresOf({ testFilePath: file, testExecError, failureMessage, testResults = [] }) {
  if (testExecError) return [failureText({ file, name: 'could not be loaded', message: failureMessage })];
  return testResults
    .filter(({ status }) => status === 'failed')
    .map(({ fullName, failureMessages }) =>
      failureText({ file, name: fullName, message: failureMessages.join('\n') }),
    );
}

/** Jest waits forever for an open handle, such as the output of a process that still runs. */
const END_LIMIT_MS = 60_000;

function endLater({ numFailedTestSuites }) {
  const end = () => {
    console.error(`Jest does not end: it waits for ${process.getActiveResourcesInfo().join(', ')}`);
    process.exit(numFailedTestSuites === 0 ? 0 : 1);
  };
  setTimeout(end, END_LIMIT_MS).unref();
}

export default class CountReporter {
  onRunComplete(_contexts, results) {
    endLater(results);
    storeCounts({
      passed: results.numPassedTests,
      // a file that cannot be loaded has no tests, but counts as a failure
      failed: results.numFailedTests + results.numRuntimeErrorTestSuites,
      skipped: results.numPendingTests + results.numTodoTests,
      failures: results.testResults.flatMap(failuresOf),
    });
  }
}
