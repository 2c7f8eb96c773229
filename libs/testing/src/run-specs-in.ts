import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/**
 * Runs every `*.spec.ts` below FOLDER in the calling Jest file. The specs share the loaded modules, which cost seconds for each
 * Jest file, and the started application. Each spec keeps its hooks, in a `describe` named by its path: `-t session.spec` runs
 * one.
 * @throws Error when the folder contains no spec
 */
export function runSpecsIn(folder: string): void {
  const specs = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.spec.ts'))
    .sort();
  if (specs.length === 0) throw new Error(`${folder} holds no spec`);
  // Jest's require, which transforms TypeScript
  const load = createRequire(join(folder, 'any.ts'));
  for (const spec of specs) describe(spec, () => void load(join(folder, spec)));
}
