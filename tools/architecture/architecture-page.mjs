// The page docs/architecture.md with its diagrams, each below a comment that names it.
import { projects, reduced, roomsOf, topFolders } from './architecture.mjs';
import { USERS_DOMAINS } from './boundaries.mjs';

const diagrams = {
  projects: () => projectsDiagram(projects()),
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

function placesDiagram(direction, graph) {
  const arrows = [...reduced(graph)].flatMap(([name, used]) => [
    ...(used.length === 0 ? [`  ${name}`] : []),
    ...used.map((other) => `  ${name} --> ${other}`),
  ]);
  return [`flowchart ${direction}`, ...arrows].join('\n');
}
