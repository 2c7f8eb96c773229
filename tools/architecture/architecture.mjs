// The diagrams of docs/architecture.md, from the code: which project, domain and folder uses which.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import ts from 'typescript';
import { readJson } from '../files.mjs';
import { USERS_DOMAINS } from './boundaries.mjs';
import { root } from '../workspace.mjs';

/**
 * The imports inside an app: a Map of Sets.
 * @param nodeOf returns the node of a file from its folders below `src`; undefined omits the file
 */
function importsBetween(app, nodeOf) {
  const source = join(root, 'apps', app, 'src');
  const nodeOfFile = (file) => nodeOf(relative(source, dirname(file)).split(sep));
  const found = new Map();
  for (const name of readdirSync(source, { recursive: true }).sort()) {
    const file = join(source, name);
    const node = nodeOfFile(file);
    if (!node || !/(?<!\.spec|\.d)\.ts$/.test(name)) continue;
    const used = found.get(node) ?? found.set(node, new Set()).get(node);
    for (const { fileName } of ts.preProcessFile(readFileSync(file, 'utf8')).importedFiles) {
      const other = fileName.startsWith('.') && nodeOfFile(join(dirname(file), fileName));
      if (other && other !== node) used.add(other);
    }
  }
  const inOrder = [...found].sort(([one], [other]) => one.localeCompare(other));
  return new Map(inOrder.map(([node, used]) => [node, new Set([...used].sort())]));
}

/** The folders of `src`. */
export const topFolders = (app) => importsBetween(app, ([folder]) => folder);

/** The folders of one folder of `src`. */
export const subfoldersOf = (app, domain) =>
  importsBetween(app, ([folder, subfolder]) => (folder === domain ? subfolder : undefined));

/** The nodes that NODE reaches in GRAPH. */
function reachedFrom(graph, node, found = new Set()) {
  for (const next of graph.get(node) ?? []) if (!found.has(next)) reachedFrom(graph, next, found.add(next));
  return found;
}

/** The nodes of GRAPH in a cycle. */
export const cyclic = (graph) => [...graph.keys()].filter((node) => reachedFrom(graph, node).has(node));

/** The transitive reduction of GRAPH, which has no cycles. */
export function reduced(graph) {
  const isImplied = (used, target) => [...used].some((between) => reachedFrom(graph, between).has(target));
  return [...graph].map(([name, used]) => [name, [...used].filter((other) => !isImplied(used, other))]);
}

const ours = (dependencies = {}) =>
  Object.keys(dependencies)
    .flatMap((name) => /^@fd\/(.*)/.exec(name)?.[1] ?? [])
    .sort();

const arrows = (pairs, arrow = '-->') =>
  pairs.flatMap(([name, used]) => used.map((other) => `  ${name} ${arrow} ${other}`));

/** Renders the projects of the workspace and the dependencies in their package.json; dotted arrows are for tests only. */
function projectsDiagram() {
  const boxes = [];
  const [graph, tests] = [new Map(), new Map()];
  for (const kind of ['apps', 'libs']) {
    const names = readdirSync(join(root, kind));
    boxes.push(`  subgraph ${kind}`, ...names.map((name) => `    ${name}`), '  end');
    for (const name of names) {
      const manifest = readJson(`${kind}/${name}/package.json`);
      graph.set(name, new Set(ours(manifest.dependencies)));
      tests.set(name, ours(manifest.devDependencies));
    }
  }
  return ['flowchart TD', ...boxes, ...arrows(reduced(graph)), ...arrows([...tests], '-.->')].join('\n');
}

function foldersDiagram(direction, graph) {
  const lines = reduced(graph).flatMap(([name, used]) =>
    used.length === 0 ? [`  ${name}`] : arrows([[name, used]]),
  );
  return [`flowchart ${direction}`, ...lines].join('\n');
}

const diagrams = {
  projects: projectsDiagram,
  'users-service': () => foldersDiagram('TD', topFolders('users-service')),
  ...Object.fromEntries(
    USERS_DOMAINS.filter((domain) => domain !== 'config').map((domain) => [
      `users-service-${domain}`,
      () => foldersDiagram('LR', subfoldersOf('users-service', domain)),
    ]),
  ),
  'master-service': () => foldersDiagram('LR', topFolders('master-service')),
  sandbox: () => foldersDiagram('TD', topFolders('sandbox')),
};

/** A comment with the name of a diagram, and the diagram below it. */
const DIAGRAM = /(<!-- ([a-z-]+): made by `npm run docs` -->)(?:\n\n```mermaid\n[^`]*```)?/g;

/** Returns PAGE with current diagrams. @throws Error when a diagram's comment is unknown, missing or repeated */
export function withDiagrams(page) {
  const found = [...page.matchAll(DIAGRAM)].map(([, , name]) => name).sort();
  const expected = Object.keys(diagrams).sort();
  if (found.join() !== expected.join())
    throw new Error(`found comments for the diagrams ${found.join()} instead of ${expected.join()}`);
  return page.replaceAll(DIAGRAM, (_, head, name) => `${head}\n\n\`\`\`mermaid\n${diagrams[name]()}\n\`\`\``);
}
