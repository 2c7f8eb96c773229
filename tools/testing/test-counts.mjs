// Sums the tests of all projects: each run stores its counts and failures in a folder that the environment names.
import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { root } from '../workspace.mjs';

const LINES_OF_A_FAILURE = 12;

/** Stores {passed, failed, skipped, failures} for the sum; does nothing without a folder. */
export function storeCounts(counts, folder = process.env.FD_TEST_COUNTS) {
  if (!folder) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${randomUUID()}.json`), JSON.stringify(counts));
}

const storedIn = (folder) =>
  readdirSync(folder).map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')));

export function sumCounts(folder) {
  const sum = { passed: 0, failed: 0, skipped: 0 };
  for (const counts of storedIn(folder)) for (const key of Object.keys(sum)) sum[key] += counts[key];
  return sum;
}

/** A failed test as text: its file, its name, and the beginning of the message, without colours. */
export function failureText({ file, name, message }) {
  const lines = stripVTControlCharacters(String(message ?? '')).split('\n');
  const shown = lines.filter((line) => line.trim() !== '').slice(0, LINES_OF_A_FAILURE);
  return [`FAILED ${relative(root, file ?? root)} › ${name}`, ...shown.map((line) => `  ${line}`)].join('\n');
}

/** The texts of all failures in FOLDER. They are repeated at the end, since long outputs are often cut at the beginning. */
export const failuresIn = (folder) => storedIn(folder).flatMap(({ failures = [] }) => failures);

/** "12 passed, 0 failed", and ", 1 skipped" only when there are any. */
export const closingLine = ({ passed, failed, skipped }) =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
