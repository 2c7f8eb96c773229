import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cycles, reduced, subfoldersOf, topFolders, withDiagrams } from './architecture.mjs';
import { USERS_DOMAINS } from './boundaries.mjs';

// `npm run check` compares the diagrams
test('refuses a page without the comment of a diagram', () => {
  assert.throws(() => withDiagrams('# Architecture'), /found comments for the diagrams {2}instead of/);
});

const graphs = {
  'master-service': topFolders('master-service'),
  'users-service': topFolders('users-service'),
  sandbox: topFolders('sandbox'),
  'providers of sandbox': subfoldersOf('sandbox', 'providers'),
  'issuers of sandbox': subfoldersOf('sandbox', 'issuers'),
};
for (const domain of USERS_DOMAINS.filter((name) => name !== 'config'))
  graphs[`${domain} of users-service`] = subfoldersOf('users-service', domain);

for (const [name, graph] of Object.entries(graphs))
  test(`finds no import cycle between the folders of ${name}`, () => {
    assert.ok(graph.size > 1, 'subfolders were found');
    assert.deepEqual(cycles(graph), []);
  });

const graphOf = (arrows) => new Map(Object.entries(arrows).map(([name, used]) => [name, new Set(used)]));

test('finds direct and indirect cycles, and omits arrows that follow from others', () => {
  assert.deepEqual(cycles(graphOf({ a: ['b'], b: ['c'], c: ['a'], d: ['a'] })), [
    'a and b',
    'a and c',
    'b and c',
  ]);
  const without = reduced(graphOf({ a: ['b', 'c'], b: ['c'], c: [] }));
  assert.deepEqual(Object.fromEntries(without), { a: ['b'], b: ['c'], c: [] });
});
