// The diagrams of docs/architecture.md, from the code: which project, domain and folder uses which.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import ts from 'typescript';
import { USERS_DOMAINS } from './boundaries.mjs';
import { root } from '../workspace.mjs';

/**
 * The imports inside an app: a Map of Sets.
 * @param placeOf returns the node of a file from its folders below `src`; undefined omits the file
 */
function placesOf(app, placeOf) {
  const source = join(root, 'apps', app, 'src');
  const placeOfFile = (file) => placeOf(relative(source, dirname(file)).split(sep));
  const found = new Map();
  for (const name of readdirSync(source, { recursive: true }).sort()) {
    const file = join(source, name);
    const place = placeOfFile(file);
    if (!place || !/(?<!\.spec|\.d)\.ts$/.test(name)) continue;
    const used = found.get(place) ?? found.set(place, new Set()).get(place);
    for (const { fileName } of ts.preProcessFile(readFileSync(file, 'utf8')).importedFiles) {
      const other = fileName.startsWith('.') && placeOfFile(join(dirname(file), fileName));
      if (other && other !== place) used.add(other);
    }
  }
  const inOrder = [...found].sort(([one], [other]) => one.localeCompare(other));
  return new Map(inOrder.map(([place, used]) => [place, new Set([...used].sort())]));
}

/** The folders of `src`. */
export const topFolders = (app) => placesOf(app, ([folder]) => folder);

/** The folders of one folder of `src`. */
export const roomsOf = (app, domain) =>
  placesOf(app, ([folder, room]) => (folder === domain ? room : undefined));

/** The pairs of nodes in a cycle, as `one and other`. */
export function circles(graph) {
  const names = [...graph.keys()].sort();
  return names.flatMap((one, index) =>
    names
      .slice(index + 1)
      .filter((other) => reaches(graph, one, other) && reaches(graph, other, one))
      .map((other) => `${one} and ${other}`),
  );
}

/** The transitive reduction of GRAPH, which has no cycles. */
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

/** Renders the projects of the workspace and the dependencies in their package.json; dotted arrows are for tests only. */
function projectsDiagram() {
  const boxes = [];
  const tests = [];
  const graph = new Map();
  for (const kind of ['apps', 'libs']) {
    boxes.push(`  subgraph ${kind}`);
    for (const name of readdirSync(join(root, kind))) {
      const manifest = JSON.parse(readFileSync(join(root, kind, name, 'package.json'), 'utf8'));
      graph.set(name, new Set(ours(manifest.dependencies)));
      boxes.push(`    ${name}`);
      tests.push(...ours(manifest.devDependencies).map((other) => `  ${name} -.-> ${other}`));
    }
    boxes.push('  end');
  }
  return ['flowchart TD', ...boxes, ...arrows(reduced(graph)), ...tests].join('\n');
}

const ours = (dependencies = {}) =>
  Object.keys(dependencies)
    .filter((name) => name.startsWith('@fd/'))
    .map((name) => name.slice('@fd/'.length))
    .sort();

const arrows = (graph) => [...graph].flatMap(([name, used]) => used.map((other) => `  ${name} --> ${other}`));

function placesDiagram(direction, graph) {
  const lines = [...reduced(graph)].flatMap(([name, used]) =>
    used.length === 0 ? [`  ${name}`] : arrows([[name, used]]),
  );
  return [`flowchart ${direction}`, ...lines].join('\n');
}

const diagrams = {
  projects: projectsDiagram,
  'users-service': () => placesDiagram('TD', topFolders('users-service')),
  ...Object.fromEntries(
    USERS_DOMAINS.filter((domain) => domain !== 'config').map((domain) => [
      `users-service-${domain}`,
      () => placesDiagram('LR', roomsOf('users-service', domain)),
    ]),
  ),
  'master-service': () => placesDiagram('LR', topFolders('master-service')),
  sandbox: () => placesDiagram('TD', topFolders('sandbox')),
};

/** A comment with the name of a diagram, and the diagram below it. */
const PLACE = /(<!-- ([a-z-]+): made by `npm run architecture:docs` -->)(?:\n\n```mermaid\n[^`]*```)?/g;

/** Returns PAGE with current diagrams. @throws Error when a diagram's comment is unknown, missing or repeated */
export function withDiagrams(page) {
  const places = [...page.matchAll(PLACE)].map(([, , name]) => name).sort();
  const expected = Object.keys(diagrams).sort();
  if (places.join() !== expected.join())
    throw new Error(`places for ${places.join()} instead of ${expected.join()}`);
  return page.replaceAll(PLACE, (_, head, name) => `${head}\n\n\`\`\`mermaid\n${diagrams[name]()}\n\`\`\``);
}
