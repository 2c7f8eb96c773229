// The page docs/architecture.md with its diagrams, each below a comment that names it.
import { features, projects, reduced, without } from './architecture.mjs';

/** Features that are put together from all the others. */
const COMPOSED = ['config', 'database'];

/** What a service consists of, without what is put together from all of it: a Map of Sets. */
export const featuresOf = (app) => without(features(app), (name) => COMPOSED.includes(name));

const diagrams = {
  projects: () => projectsDiagram(projects()),
  'users-service': () => featuresDiagram(featuresOf('users-service')),
  'master-service': () => featuresDiagram(featuresOf('master-service')),
};

const place = /<!-- ([a-z-]+): made by `npm run architecture:docs` -->(?:\n\n```mermaid\n[^`]*```)?/g;

/** PAGE with each diagram as the code is now. @throws Error when a place is unknown, missing or there twice */
export function withDiagrams(page) {
  const places = [...page.matchAll(place)].map(([, name]) => name).sort();
  const wanted = Object.keys(diagrams).sort();
  if (places.join() !== wanted.join())
    throw new Error(`places for ${places.join()} instead of ${wanted.join()}`);
  return page.replaceAll(
    place,
    (_, name) =>
      `<!-- ${name}: made by \`npm run architecture:docs\` -->\n\n\`\`\`mermaid\n${diagrams[name]()}\n\`\`\``,
  );
}

function projectsDiagram(all) {
  const boxes = (kind) => all.filter((project) => project.kind === kind).map(({ name }) => `    ${name}`);
  const graph = new Map(all.map(({ name, uses }) => [name, new Set(uses)]));
  const arrows = [...reduced(graph)].flatMap(([name, used]) => used.map((other) => `  ${name} --> ${other}`));
  const tests = all.flatMap(({ name, usesInTests }) => usesInTests.map((other) => `  ${name} -.-> ${other}`));
  return [
    'flowchart TD',
    '  subgraph apps',
    ...boxes('apps'),
    '  end',
    '  subgraph libs',
    ...boxes('libs'),
    '  end',
    ...arrows,
    ...tests,
  ].join('\n');
}

function featuresDiagram(graph) {
  const arrows = [...reduced(graph)].flatMap(([name, used]) =>
    used.length > 0 ? used.map((other) => `  ${name} --> ${other}`) : [`  ${name}`],
  );
  return ['flowchart LR', ...arrows].join('\n');
}
