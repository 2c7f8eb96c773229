// Adding up the tests of all projects: each run leaves its counts in a folder that the environment names.
import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Leaves {passed, failed, skipped} for whoever adds up; does nothing when nobody does. */
export function leaveCounts(counts, folder = process.env.FD_TEST_COUNTS) {
  if (!folder) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${randomUUID()}.json`), JSON.stringify(counts));
}

/** The sum of all counts in FOLDER. */
export function sumCounts(folder) {
  const sum = { passed: 0, failed: 0, skipped: 0 };
  for (const name of readdirSync(folder)) {
    const counts = JSON.parse(readFileSync(join(folder, name), 'utf8'));
    for (const key of Object.keys(sum)) sum[key] += counts[key];
  }
  return sum;
}

/** "12 passed, 0 failed", and ", 1 skipped" only when there are any. */
export const closingLine = ({ passed, failed, skipped }) =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
