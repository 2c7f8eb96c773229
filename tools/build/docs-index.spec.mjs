import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { root } from '../workspace.mjs';

const docs = join(root, 'docs');
const linksOf = (page) =>
  Array.from(readFileSync(page, 'utf8').matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g), ([, link]) => link).filter(
    (link) => !/^https?:/.test(link),
  );

it('docs/README.md links to every page of docs, and each link exists', () => {
  const links = linksOf(join(docs, 'README.md'));
  const dead = links.filter((link) => !existsSync(join(docs, link)));
  const pages = readdirSync(docs).filter((name) => name.endsWith('.md') && name !== 'README.md');
  const integrators = readdirSync(join(docs, 'integrators')).filter((name) => name.endsWith('.md'));
  const missing = [...pages, ...integrators.map((name) => `integrators/${name}`)].filter(
    (page) => !links.includes(page),
  );
  assert.deepEqual({ dead, missing }, { dead: [], missing: [] });
});
