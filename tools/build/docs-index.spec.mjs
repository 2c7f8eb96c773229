import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { it } from 'node:test';
import GithubSlugger from 'github-slugger';
import { DOCUMENTED_SERVICES, documentPath, operationsOf } from '../api/openapi-documents.mjs';
import { listedFiles, read, readJson } from '../files.mjs';
import { root } from '../workspace.mjs';

const FRONT_PAGE = 'docs/README.md';

const pages = listedFiles('*.md');
const textOf = (page) => read(page).replace(/^ *```[\s\S]*?^ *```/gm, '');

/** Links of a page to files of the repository: the link, the path from the root, and the heading. */
const linksOf = (page) =>
  Array.from(textOf(page).matchAll(/\]\(([^()\s]+)\)/g), ([, link]) => link)
    .filter((link) => !/^(https?|mailto):/.test(link))
    .map((link) => {
      const [file, heading] = link.split('#');
      const path = file ? normalize(join(dirname(page), file)).replace(/\/$/, '') : page;
      return { link, path: pages.includes(`${path}/README.md`) ? `${path}/README.md` : path, heading };
    });

/** The anchors that GitHub gives the headings of a page. */
function anchorsOf(page) {
  const slugger = new GithubSlugger();
  const headings = textOf(page).matchAll(/^#{1,6} +(.+)$/gm);
  return Array.from(headings, ([, text]) => slugger.slug(text.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')));
}

it('finds the file and the heading of every link in every page', () => {
  const isDead = ({ path, heading }) =>
    !existsSync(join(root, path)) || (heading && path.endsWith('.md') && !anchorsOf(path).includes(heading));
  const dead = pages.flatMap((page) =>
    linksOf(page)
      .filter(isDead)
      .map(({ link }) => `${page}: ${link}`),
  );
  assert.ok(pages.length > 80);
  assert.deepEqual(dead, []);
});

it('links to every page of docs on its front page, and reaches all others and every README from there', () => {
  const onFrontPage = new Set(linksOf(FRONT_PAGE).map(({ path }) => path));
  const reached = new Set([FRONT_PAGE]);
  for (const page of reached)
    for (const { path } of linksOf(page)) if (pages.includes(path)) reached.add(path);
  const isMissing = (page) =>
    ['docs', 'docs/integrators'].includes(dirname(page))
      ? page !== FRONT_PAGE && !onFrontPage.has(page)
      : (page.startsWith('docs/') || page.endsWith('README.md')) && !reached.has(page);
  assert.deepEqual(pages.filter(isMissing), []);
});

it('finds a line in the README for each of at most 15 scripts', () => {
  const names = Object.keys(readJson('package.json').scripts);
  assert.ok(names.length <= 15);
  const isMissing = (name) => !new RegExp(`^\\| \`npm (run )?${name}\\b`, 'm').test(read('README.md'));
  assert.deepEqual(names.filter(isMissing), []);
});

it('finds every call and error code that the pages for integrators name', () => {
  const known = DOCUMENTED_SERVICES.flatMap((service) => operationsOf(readJson(documentPath(service)))).map(
    ({ call }) => new RegExp(`^${call.replace(/\{\w+\}/g, '[^/]+')}$`),
  );
  const own = pages.filter((page) => /^docs\/integrators\/(?!errors)/.test(page));
  const named = own.flatMap((page) =>
    [...read(page).matchAll(/\b(?:GET|POST|PUT|DELETE) \/[\w/{}.-]+/g)].flat(),
  );
  assert.ok(named.length > 30);
  assert.deepEqual(
    named.filter((call) => !known.some((pattern) => pattern.test(call))),
    [],
  );
  const codes = own.flatMap((page) => read(page).match(/SVC(?:USER|MAS|INV)\d+/g) ?? []);
  assert.deepEqual(
    codes.filter((code) => !read('docs/integrators/errors.md').includes(`\n| ${code} `)),
    [],
  );
});

it('names the namespace in every command of a runbook that acts on one', () => {
  const commands =
    /kubectl (?:-n \S+ )?(?:create|apply|delete|describe|exec|get|logs|patch|port-forward|rollout|scale|wait) (?!-k\b)[^`|\n]+/g;
  const found = pages
    .filter((page) => page.startsWith('docs/runbooks/'))
    .flatMap((page) => (read(page).match(commands) ?? []).map((command) => `${page}: ${command}`))
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

it('finds the test behind every proof of the security page', () => {
  const tests = listedFiles('*.spec.*', '*.release.mjs', '*.system.mjs').map((path) => `/${path}`);
  const named = read('docs/security.md')
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .flatMap(
      (line) =>
        line
          .split('|')
          .at(-2)
          .match(/(?<=`)[a-z]\w*(?:[-.]\w+)*(?=`)/g) ?? [],
    );
  assert.ok(named.length > 200);
  const isMissing = (name) => !tests.some((path) => path.includes(`/${name}.`));
  assert.deepEqual(named.filter(isMissing), []);
});
