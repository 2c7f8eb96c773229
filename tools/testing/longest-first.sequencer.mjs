// Jest sequencer: starts the largest Jest files first, so that the longest one does not run alone at the end. Jest itself would
// need durations of former runs, which a fresh checkout lacks.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Bytes of a Jest file and of its specs: those in the folder of its name, or in `src`. The latter count a quarter, because they
 * call no service.
 */
function weightOf(file) {
  const units = /test\/units\.spec\.ts$/;
  const folder = file.replace(units, 'src').replace(/\.spec\.tsx?$/, '');
  const specs = statSync(folder, { throwIfNoEntry: false })
    ? readdirSync(folder, { recursive: true })
        .filter((name) => name.endsWith('.spec.ts'))
        .map((name) => join(folder, name))
    : [];
  const bytes = [file, ...specs].reduce((sum, path) => sum + statSync(path).size, 0);
  return units.test(file) ? bytes / 4 : bytes;
}

export default class LongestFirstSequencer {
  sort(tests) {
    const weights = new Map(tests.map((test) => [test, weightOf(test.path)]));
    return tests.toSorted((one, other) => weights.get(other) - weights.get(one));
  }

  /** For `--onlyFailures`, which would need results of a former run. */
  allFailedTests() {
    return [];
  }

  cacheResults() {}
}
