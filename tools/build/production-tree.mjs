// A service as in its image: the compiled files and the production dependencies.
import { existsSync, lstatSync, lutimesSync, readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from './build.mjs';
import { pnpm } from '../pnpm.mjs';
import { services } from '../workspace.mjs';

/** Files for compilers, debuggers and pnpm only; the last two also contain the time of the install. */
const NOT_NEEDED = [
  /\.(d\.[cm]?ts|map|tsbuildinfo)$/,
  /^(pnpm-lock\.yaml|pnpm-workspace\.yaml|README\.md)$/,
  /^node_modules\/(\.modules\.yaml|\.pnpm-workspace-state-v1\.json|\.pnpm\/lock\.yaml)$/,
];

/** Relative paths of every file, link and folder below FOLDER; a folder follows its contents. */
export function* entriesOf(folder, below = '') {
  for (const entry of readdirSync(join(folder, below), { withFileTypes: true })) {
    const path = below ? `${below}/${entry.name}` : entry.name;
    if (entry.isDirectory()) yield* entriesOf(folder, path);
    yield path;
  }
}

function prune(folder) {
  for (const path of [...entriesOf(folder)]) {
    const isFolder = lstatSync(join(folder, path)).isDirectory();
    if (!isFolder && NOT_NEEDED.some((pattern) => pattern.test(path))) rmSync(join(folder, path));
  }
}

/** Sets all modification times to SOURCE_DATE_EPOCH (default 1970), so that the same sources give the same tree. */
export function setTimes(folder) {
  const seconds = Number(process.env.SOURCE_DATE_EPOCH ?? 0);
  for (const path of entriesOf(folder)) lutimesSync(join(folder, path), seconds, seconds);
  lutimesSync(folder, seconds, seconds);
}

/**
 * Builds SERVICE and puts it with its production dependencies into FOLDER, which must not exist: dist/main.js and
 * dist/cli.js run from there, without the workspace. isLinked: files are links into the machine's store of packages where
 * possible, which is fast; then nothing in the tree may be changed, not even times and modes.
 * @throws Error when SERVICE is unknown, FOLDER exists, or something does not build
 */
export async function makeProductionTree(service, folder, { isLinked = false } = {}) {
  if (!services.includes(service)) throw new Error(`"${service}" is not one of ${services.join(', ')}.`);
  if (existsSync(folder)) throw new Error(`${folder} already exists.`);
  await build([service]);
  const method = isLinked ? 'auto' : 'clone-or-copy';
  const options = ['--silent', `--config.package-import-method=${method}`, '--filter', `@fd/${service}`];
  const status = pnpm([...options, 'deploy', '--prod', resolve(folder)]);
  if (status !== 0) throw new Error(`pnpm could not put ${service} into ${folder}.`);
  prune(folder);
  if (!isLinked) setTimes(folder);
}
