import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readJson } from '../files.mjs';
import { cyclic, reduced, subfoldersOf, topFolders, withDiagrams } from './architecture.mjs';
import { USERS_DOMAINS } from './boundaries.mjs';
import { root } from '../workspace.mjs';

/** The projects that each project may use. The sandbox serves the console's files. */
const MAY_USE = {
  errors: [],
  contracts: ['errors'],
  envelope: ['errors'],
  platform: ['errors', 'envelope'],
  testing: ['errors', 'contracts', 'envelope', 'platform'],
  fuzzing: ['testing'],
  'browser-testing': ['testing'],
  client: [],
  'users-service': ['errors', 'contracts', 'envelope', 'platform'],
  'master-service': ['errors', 'contracts', 'envelope', 'platform'],
  sandbox: ['errors', 'contracts', 'envelope', 'platform', 'console'],
  console: ['client'],
  // for partners to copy
  'react-journey': ['client'],
  'partner-backend': ['client'],
};
const FOR_TESTS = ['testing', 'fuzzing', 'browser-testing', 'client'];

for (const folder of ['apps', 'libs', 'examples'])
  for (const name of readdirSync(join(root, folder)))
    test(`finds only allowed projects in the package.json of ${name}`, () => {
      const manifest = readJson(`${folder}/${name}/package.json`);
      const used = (names = {}) => Object.keys(names).flatMap((one) => /^@fd\/(.*)/.exec(one)?.[1] ?? []);
      const isForbidden = (allowed) => (other) => !allowed.includes(other);
      assert.deepEqual(used(manifest.dependencies).filter(isForbidden(MAY_USE[name])), []);
      assert.deepEqual(used(manifest.devDependencies).filter(isForbidden(FOR_TESTS)), []);
    });

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
    assert.deepEqual(cyclic(graph), []);
  });

const graphOf = (arrows) => new Map(Object.entries(arrows).map(([name, used]) => [name, new Set(used)]));

test('finds direct and indirect cycles, and omits arrows that follow from others', () => {
  assert.deepEqual(cyclic(graphOf({ a: ['b'], b: ['c'], c: ['a'], d: ['a'] })), ['a', 'b', 'c']);
  const without = reduced(graphOf({ a: ['b', 'c'], b: ['c'], c: [] }));
  assert.deepEqual(Object.fromEntries(without), { a: ['b'], b: ['c'], c: [] });
});
