import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { cycles, reduced, subfoldersOf, topFolders, withDiagrams } from './architecture.mjs';
import { USERS_DOMAINS } from './boundaries.mjs';
import { root } from '../workspace.mjs';

const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8');

test('finds the diagrams up to date (else: npm run docs)', () => {
  assert.equal(page, withDiagrams(page));
});

test('refuses a page without the comment of a diagram', () => {
  assert.throws(() => withDiagrams('# Architecture'), /found comments for the diagrams {2}instead of/);
});

const graphs = [
  ['master-service', topFolders('master-service')],
  ['users-service', topFolders('users-service')],
  ['sandbox', topFolders('sandbox')],
  ['providers of sandbox', subfoldersOf('sandbox', 'providers')],
  ['issuers of sandbox', subfoldersOf('sandbox', 'issuers')],
  ...USERS_DOMAINS.filter((domain) => domain !== 'config').map((domain) => [
    `${domain} of users-service`,
    subfoldersOf('users-service', domain),
  ]),
];

for (const [name, graph] of graphs) {
  test(`finds no import cycle between the folders of ${name}`, () => {
    assert.ok(graph.size > 1, 'subfolders were found');
    assert.deepEqual(cycles(graph), []);
  });
}

test('finds direct and indirect cycles', () => {
  const graph = new Map([
    ['a', new Set(['b'])],
    ['b', new Set(['c'])],
    ['c', new Set(['a'])],
    ['d', new Set(['a'])],
  ]);
  assert.deepEqual(cycles(graph), ['a and b', 'a and c', 'b and c']);
});

test('omits arrows that follow from others', () => {
  const graph = new Map([
    ['a', new Set(['b', 'c'])],
    ['b', new Set(['c'])],
    ['c', new Set()],
  ]);
  assert.deepEqual(
    [...reduced(graph)],
    [
      ['a', ['b']],
      ['b', ['c']],
      ['c', []],
    ],
  );
});
