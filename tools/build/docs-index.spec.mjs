import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { it } from 'node:test';
import { root } from '../workspace.mjs';

const FRONT_PAGE = 'docs/README.md';

/** Paths of all pages below a folder, from the root. */
const pagesIn = (folder) =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '.' ? entry.name : `${folder}/${entry.name}`;
    if (!entry.isDirectory()) return path.endsWith('.md') ? [path] : [];
    const isSource = !entry.name.startsWith('.') && !['node_modules', 'dist'].includes(entry.name);
    return isSource ? pagesIn(path) : [];
  });

const pages = pagesIn('.');

const textOf = (page) => readFileSync(join(root, page), 'utf8').replace(/^ *```[\s\S]*?^ *```/gm, '');

/** Links of a page to files of the repository: the link, the path from the root, and the heading. */
const linksOf = (page) =>
  Array.from(textOf(page).matchAll(/\]\(([^()\s]+)\)/g), ([, link]) => link)
    .filter((link) => !/^(https?|mailto):/.test(link))
    .map((link) => {
      const [file, heading] = link.split('#');
      const path = file ? normalize(join(dirname(page), file)).replace(/\/$/, '') : page;
      const isFolder = existsSync(join(root, path)) && statSync(join(root, path)).isDirectory();
      return {
        link,
        path: isFolder && existsSync(join(root, path, 'README.md')) ? `${path}/README.md` : path,
        heading,
      };
    });

/** The anchors that GitHub gives the headings of a page. */
function anchorsOf(page) {
  const known = new Map();
  return new Set(
    Array.from(textOf(page).matchAll(/^#{1,6} +(.+)$/gm), ([, heading]) => {
      const text = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');
      const anchor = text
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .trim()
        .replace(/\s/g, '-');
      const count = known.get(anchor) ?? 0;
      known.set(anchor, count + 1);
      return count > 0 ? `${anchor}-${count}` : anchor;
    }),
  );
}

it('finds the file and the heading of every link in every page', () => {
  const dead = pages.flatMap((page) =>
    linksOf(page)
      .filter(
        ({ path, heading }) =>
          !existsSync(join(root, path)) || (heading && path.endsWith('.md') && !anchorsOf(path).has(heading)),
      )
      .map(({ link }) => `${page}: ${link}`),
  );
  assert.ok(pages.length > 80);
  assert.deepEqual(dead, []);
});

it('reaches every page of docs and every README from docs/README.md', () => {
  const reached = new Set([FRONT_PAGE]);
  for (const page of reached)
    for (const { path } of linksOf(page)) if (pages.includes(path)) reached.add(path);
  const expected = pages.filter((page) => page.startsWith('docs/') || page.endsWith('README.md'));
  assert.deepEqual(
    expected.filter((page) => !reached.has(page)),
    [],
  );
});

it('links to every page of docs and of docs/integrators on the front page itself', () => {
  const linked = new Set(linksOf(FRONT_PAGE).map(({ path }) => path));
  const inFolder = (folder) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${folder}/${name}`);
  const missing = [...inFolder('docs'), ...inFolder('docs/integrators')].filter(
    (page) => page !== FRONT_PAGE && !linked.has(page),
  );
  assert.deepEqual(missing, []);
});

it('names the namespace in every command of a runbook that acts on one', () => {
  const commands =
    /kubectl (?:-n \S+ )?(?:create|apply|delete|describe|exec|get|logs|patch|port-forward|rollout|scale|wait) (?!-k\b)[^`|\n]+/g;
  const found = pages
    .filter((page) => page.startsWith('docs/runbooks/'))
    .flatMap((page) =>
      Array.from(
        readFileSync(join(root, page), 'utf8').matchAll(commands),
        ([command]) => `${page}: ${command}`,
      ),
    )
    // the objects of the overlay for an operator's command have a namespace
    .filter(
      (line) => !/user-support\.md: kubectl (create --dry-run=client -o json -f -|apply -f -)/.test(line),
    );
  assert.ok(found.length > 20);
  assert.deepEqual(
    found.filter((line) => !line.includes('kubectl -n fd-production ')),
    [],
  );
});
