// Jest sequencer: the Jest files with the most to run begin first, so that no worker is left alone with the longest. A
// fresh checkout has no durations of former runs, which Jest itself would go by.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Bytes of a Jest file and of what it runs: the specs in the folder of its name, or those of `src`. */
function weightOf(file) {
  const folder = file.replace(/test\/units\.spec\.ts$/, 'src').replace(/\.spec\.tsx?$/, '');
  const specs = statSync(folder, { throwIfNoEntry: false })
    ? readdirSync(folder, { recursive: true })
        .filter((name) => name.endsWith('.spec.ts'))
        .map((name) => join(folder, name))
    : [];
  return [file, ...specs].reduce((sum, path) => sum + statSync(path).size, 0);
}

export default class LongestFirstSequencer {
  sort(tests) {
    const weights = new Map(tests.map((test) => [test, weightOf(test.path)]));
    return tests.toSorted((one, other) => weights.get(other) - weights.get(one));
  }

  /** For `--onlyFailures`, which needs the results of a former run: none are kept. */
  allFailedTests() {
    return [];
  }

  cacheResults() {}
}
