import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { buildGuide } from './guide.mjs';
import { root } from '../workspace.mjs';

const dist = join(root, 'guide/dist');
const page = (path) => readFileSync(join(dist, `${path}.html`), 'utf8');

// a dead link fails the build
before(() => buildGuide());

test('has a page for every error code, issuer and part of the API', () => {
  const codes = JSON.parse(readFileSync(join(root, 'docs/integrators/errors.json'), 'utf8'));
  for (const { code, token } of codes) assert.ok(page(`errors/${code}`).includes(token), code);
  for (const slug of ['aravalli', 'kaveri', 'nilgiri', 'sahyadri', 'vindhya'])
    assert.match(page(`issuers/${slug}`), /class="diagram"/);
  for (const path of ['api/users/login', 'api/users/bank', 'api/master/quotes'])
    assert.match(page(path), /curl.*fetch.*client/s);
  for (const path of ['quickstart', 'polling']) assert.match(page(path), /Answer, HTTP 20\d/);
});

test('loads nothing from another site', () => {
  const files = readdirSync(dist, { recursive: true }).filter((file) => file.endsWith('.html'));
  assert.ok(files.length > 200);
  const foreign =
    /<(script|img|iframe|source)[^>]* src="(?!\/guide\/|data:)|<link[^>]* href="(?!\/guide\/|data:)/;
  for (const file of files) assert.doesNotMatch(readFileSync(join(dist, file), 'utf8'), foreign, file);
});

test('is not built again without a change', async () => assert.equal(await buildGuide(), false));
