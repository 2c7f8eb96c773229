// What the diagrams of docs/architecture.md show, read from the code: which project, domain and room uses which.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import ts from 'typescript';
import { root } from '../workspace.mjs';

const isProductCode = (name) => name.endsWith('.ts') && !/\.(spec|d)\.ts$/.test(name);

/** The projects of the workspace, each with what its package.json names: `{ name, uses, usesInTests }`. */
export function projects() {
  return ['apps', 'libs'].flatMap((kind) =>
    readdirSync(join(root, kind)).map((name) => {
      const { dependencies, devDependencies } = JSON.parse(
        readFileSync(join(root, kind, name, 'package.json'), 'utf8'),
      );
      return { name, kind, uses: ours(dependencies), usesInTests: ours(devDependencies) };
    }),
  );
}

function ours(dependencies = {}) {
  return Object.keys(dependencies)
    .filter((name) => name.startsWith('@fd/'))
    .map((name) => name.slice('@fd/'.length))
    .sort();
}

/**
 * Who imports whom inside an app: a Map of Sets.
 * @param placeOf names the place of a file from the folders above it below `src`; undefined leaves the file out
 */
export function placesOf(app, placeOf) {
  const source = join(root, 'apps', app, 'src');
  const placeOfFile = (file) => placeOf(relative(source, file).split(sep).slice(0, -1));
  const found = new Map();
  for (const entry of readdirSync(source, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !isProductCode(entry.name)) continue;
    const file = join(entry.parentPath, entry.name);
    const place = placeOfFile(file);
    if (place === undefined) continue;
    const used = found.get(place) ?? found.set(place, new Set()).get(place);
    for (const { fileName } of ts.preProcessFile(readFileSync(file, 'utf8')).importedFiles) {
      if (!fileName.startsWith('.')) continue;
      const other = placeOfFile(join(dirname(file), fileName));
      if (other !== undefined && other !== place) used.add(other);
    }
  }
  return new Map([...found].sort(([one], [other]) => one.localeCompare(other)));
}

/** The folders of `src`. */
export const topFolders = (app) => placesOf(app, ([folder]) => folder);

/** The folders of one folder of `src`. */
export const roomsOf = (app, domain) =>
  placesOf(app, ([folder, room]) => (folder === domain ? room : undefined));

/** The pairs of nodes that use each other, directly or by way of others, as `one and other`. */
export function circles(graph) {
  const names = [...graph.keys()].sort();
  return names.flatMap((one, index) =>
    names
      .slice(index + 1)
      .filter((other) => reaches(graph, one, other) && reaches(graph, other, one))
      .map((other) => `${one} and ${other}`),
  );
}

/** GRAPH, which has no circles, without the arrows that follow from others. */
export function reduced(graph) {
  const isImplied = (used, target) =>
    [...used].some((between) => between !== target && reaches(graph, between, target));
  return new Map(
    [...graph].map(([name, used]) => [name, [...used].filter((other) => !isImplied(used, other))]),
  );
}

function reaches(graph, from, to, seen = new Set()) {
  return [...(graph.get(from) ?? [])].some((next) => {
    if (next === to) return true;
    if (seen.has(next)) return false;
    seen.add(next);
    return reaches(graph, next, to, seen);
  });
}
