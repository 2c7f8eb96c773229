import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ESLint } from 'eslint';
import { APPS, MAY_IMPORT, SERVES, TEST_LIBS, USERS_DOMAINS } from './boundaries.mjs';
import { root } from '../workspace.mjs';

const eslint = new ESLint({ cwd: root });
const USERS = 'apps/users-service/src';

/** How many of RULES refuse CODE as the content of the existing FILE. */
async function refusals(file, code, rules) {
  const [{ messages }] = await eslint.lintText(`${code}\n`, { filePath: join(root, file) });
  return messages.filter(({ ruleId }) => rules.includes(ruleId)).length;
}

const importsOf = (file, ...names) =>
  refusals(file, names.map((name) => `import { x } from '${name}';`).join('\n'), [
    'no-restricted-imports',
    'import-x/no-relative-packages',
    'import-x/no-restricted-paths',
  ]);

/** By file: imports that lint must refuse there. */
const FORBIDDEN = {
  [`${USERS}/main.ts`]: [
    '@fd/master-service',
    '../../master-service/src/app.module.js',
    '../../../libs/errors/src/index.js',
    '@fd/errors/src/app-error.js',
    '@fd/testing',
    '@fd/client',
  ],
  'libs/errors/src/index.ts': ['@fd/contracts'],
  'libs/envelope/src/index.ts': ['@fd/users-service'],
  'libs/contracts/src/index.ts': ['@fd/envelope'],
  'libs/client/src/index.ts': ['@fd/errors'],
  'apps/console/src/main.tsx': ['@fd/errors'],
  'apps/sandbox/src/main.ts': ['@fd/console'],
  // a domain imports only those below it, and only through their index
  [`${USERS}/config/provider-settings.ts`]: ['../integrations/index.js'],
  [`${USERS}/core/audit/audit-trail.ts`]: ['../../identity/index.js'],
  [`${USERS}/kyc/pan/pan.service.ts`]: ['../../core/audit/audit-trail.js'],
  [`${USERS}/app.module.ts`]: ['./kyc/kyc.module.js'],
  [`${USERS}/core/pii/key-watch.service.ts`]: ['../../onboarding-database.js', '../index.js'],
};

const ALLOWED = {
  [`${USERS}/main.ts`]: '@fd/errors',
  'libs/envelope/src/index.ts': '@fd/errors',
  [`${USERS}/kyc/pan/pan.service.ts`]: '../../core/index.js',
};

for (const [file, names] of Object.entries(FORBIDDEN))
  test(`refuses imports in ${file}`, async () => {
    for (const name of names) assert.ok((await importsOf(file, name)) > 0, name);
  });

test('accepts the imports of the table', async () => {
  for (const [file, name] of Object.entries(ALLOWED)) assert.equal(await importsOf(file, name), 0, name);
});

test('refuses an error code outside of the catalogue, and an enum', async () => {
  const refused = (file, code) => refusals(file, code, ['no-restricted-syntax']);
  const code = "export const code = 'SVCUSER2201';";
  for (const file of [`${USERS}/kyc/pan/pan.service.ts`, 'apps/users-service/test/kyc/pan.spec.ts'])
    assert.equal(await refused(file, code), 1, file);
  assert.equal(await refused('libs/contracts/src/users/pan.ts', 'export enum Pan {}'), 1);
  assert.equal(await refused('libs/errors/src/catalogue/pan.ts', code), 0);
});

test('knows every folder of users-service', () => {
  const entries = readdirSync(join(root, USERS), { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  assert.deepEqual(folders.sort(), USERS_DOMAINS.toSorted());
});

test('finds no package that declares a forbidden dependency', () => {
  for (const [project, allowed] of Object.entries(MAY_IMPORT)) {
    const file = join(root, APPS.includes(project) ? 'apps' : 'libs', project, 'package.json');
    const { dependencies = {}, devDependencies = {} } = JSON.parse(readFileSync(file, 'utf8'));
    const others = (names, known) =>
      Object.keys(names).filter((name) => name.startsWith('@fd/') && !known.includes(name.slice(4)));
    assert.deepEqual(others(dependencies, [...allowed, ...(SERVES[project] ?? [])]), [], project);
    assert.deepEqual(others(devDependencies, TEST_LIBS), [], project);
  }
});
