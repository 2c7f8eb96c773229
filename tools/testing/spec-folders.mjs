import { readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The folders whose specs a Jest file runs by runSpecsIn: those that it names, relative to its own. */
export function specFoldersOf(file) {
  const source = readFileSync(file, 'utf8');
  if (!source.includes('runSpecsIn(')) return [];
  return [...source.matchAll(/'([\w./-]+)'/g)]
    .map(([, name]) => join(dirname(file), name))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isDirectory());
}
