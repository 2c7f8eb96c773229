// Jest sequencer: starts the largest Jest files first, so that the longest one does not run alone at the end. Jest itself would
// need durations of former runs, which a fresh checkout lacks.
import { readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { specFoldersOf } from './spec-folders.mjs';

/**
 * Bytes of a Jest file and of the specs in the folders that it runs. Those in `src` count a quarter, because they call no
 * service.
 */
function weightOf(file) {
  const specs = specFoldersOf(file).flatMap((folder) =>
    readdirSync(folder, { recursive: true })
      .filter((name) => name.endsWith('.spec.ts'))
      .map((name) => bytesOf(join(folder, name)) * (basename(folder) === 'src' ? 0.25 : 1)),
  );
  return specs.reduce((sum, bytes) => sum + bytes, bytesOf(file));
}

const bytesOf = (file) => statSync(file).size;

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
