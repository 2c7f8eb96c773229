import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { buildGuide } from './guide.mjs';
import { root } from '../workspace.mjs';

const dist = join(root, 'guide/dist');
const page = (path) => readFileSync(join(dist, `${path}.html`), 'utf8');
const pages = () =>
  readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.html'));

// a dead link fails the build
before(() => buildGuide());

test('gives every error code its own page with the texts of the catalogue', () => {
  const codes = JSON.parse(readFileSync(join(root, 'docs/integrators/errors.json'), 'utf8'));
  assert.ok(codes.length > 100);
  for (const { code, token } of codes) assert.ok(page(`errors/${code}`).includes(token), code);
});

test('has a page for every issuer and every part of the API', () => {
  for (const slug of ['aravalli', 'kaveri', 'nilgiri', 'sahyadri', 'vindhya'])
    assert.match(page(`issuers/${slug}`), /class="diagram"/);
  for (const path of ['api/users/login', 'api/users/bank', 'api/master/quotes'])
    assert.match(page(path), /curl.*fetch.*client/s);
});

test('shows recorded exchanges on the pages about the first steps', () => {
  for (const path of ['quickstart', 'polling']) {
    assert.match(page(path), /Answer, HTTP 20\d/);
    assert.doesNotMatch(page(path), /example: /);
  }
});

test('loads nothing from another site', () => {
  assert.ok(pages().length > 200);
  for (const file of pages())
    assert.doesNotMatch(
      readFileSync(join(dist, file), 'utf8'),
      /<(script|img|iframe|source)[^>]* src="(?!\/guide\/|data:)|<link[^>]* href="(?!\/guide\/|data:)/,
      file,
    );
});

test('does nothing when built a second time', async () => {
  assert.ok(existsSync(join(dist, '.inputs')));
  assert.equal(await buildGuide(), false);
});
