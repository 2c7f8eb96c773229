import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { circles, reduced, roomsOf, topFolders, withDiagrams } from './architecture.mjs';
import { USERS_DOMAINS } from './boundaries.mjs';
import { root } from '../workspace.mjs';

const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8');

test('the diagrams show the code; npm run architecture:docs draws them anew', () => {
  assert.equal(page, withDiagrams(page));
});

test('a page that lacks a place for a diagram is refused', () => {
  assert.throws(() => withDiagrams('# Architecture'), /places for/);
});

const graphs = [
  ['master-service', topFolders('master-service')],
  ['users-service', topFolders('users-service')],
  ['sandbox', topFolders('sandbox')],
  ['providers of sandbox', roomsOf('sandbox', 'providers')],
  ['issuers of sandbox', roomsOf('sandbox', 'issuers')],
  ...USERS_DOMAINS.filter((domain) => domain !== 'config').map((domain) => [
    `${domain} of users-service`,
    roomsOf('users-service', domain),
  ]),
];

for (const [name, graph] of graphs) {
  test(`no room of ${name} imports itself through others`, () => {
    assert.ok(graph.size > 1, 'rooms were found');
    assert.deepEqual(circles(graph), []);
  });
}

test('circles are found, also by way of others', () => {
  const graph = new Map([
    ['a', new Set(['b'])],
    ['b', new Set(['c'])],
    ['c', new Set(['a'])],
    ['d', new Set(['a'])],
  ]);
  assert.deepEqual(circles(graph), ['a and b', 'a and c', 'b and c']);
});

test('arrows that follow from others are left out', () => {
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
