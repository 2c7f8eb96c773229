// What the diagrams of docs/architecture.md show, read from the code: which project and which feature uses which.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import ts from 'typescript';
import { root } from './workspace.mjs';

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

/** The features of an app, which are the folders of its `src`, each with those that it imports: a Map of Sets. */
export function features(app) {
  const source = join(root, 'apps', app, 'src');
  const featureOf = (file) => {
    const [folder, ...rest] = relative(source, file).split(sep);
    return rest.length > 0 ? folder : undefined;
  };
  const found = new Map();
  for (const entry of readdirSync(source, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !isProductCode(entry.name)) continue;
    const file = join(entry.parentPath, entry.name);
    const feature = featureOf(file);
    if (feature === undefined) continue;
    const used = found.get(feature) ?? found.set(feature, new Set()).get(feature);
    for (const { fileName } of ts.preProcessFile(readFileSync(file, 'utf8')).importedFiles) {
      if (!fileName.startsWith('.')) continue;
      const other = featureOf(join(dirname(file), fileName));
      if (other !== undefined && other !== feature) used.add(other);
    }
  }
  return new Map([...found].sort(([one], [other]) => one.localeCompare(other)));
}

/** GRAPH without the nodes for which IS_LEFT_OUT is true. */
export function without(graph, isLeftOut) {
  const kept = [...graph].filter(([name]) => !isLeftOut(name));
  return new Map(kept.map(([name, used]) => [name, new Set([...used].filter((other) => !isLeftOut(other)))]));
}

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
