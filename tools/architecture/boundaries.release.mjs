import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ESLint } from 'eslint';
import { APPS, MAY_IMPORT, SERVES, TEST_LIBS, USERS_DOMAINS } from './boundaries.mjs';
import { root } from '../workspace.mjs';

const eslint = new ESLint({ cwd: root });
const USERS = 'apps/users-service/src';

/** Whether lint refuses CODE as the content of the existing FILE. */
async function isRefused(file, code) {
  const [{ messages }] = await eslint.lintText(`${code}\n`, { filePath: join(root, file) });
  return messages.some(({ ruleId }) => /restricted|no-relative-packages/.test(ruleId));
}

/** By file: imports that lint must refuse there, and imports that it must accept. */
const IMPORTS = {
  [`${USERS}/main.ts`]: [
    ['@fd/master-service', '../../../libs/errors/src/index.js', '@fd/errors/src/app-error.js', '@fd/testing'],
    ['@fd/errors'],
  ],
  'libs/errors/src/index.ts': [['@fd/contracts']],
  'libs/envelope/src/index.ts': [['@fd/users-service'], ['@fd/errors']],
  'libs/client/src/index.ts': [['@fd/errors']],
  'apps/console/src/main.tsx': [['@fd/errors']],
  'apps/sandbox/src/main.ts': [['@fd/console']],
  // a domain imports only those below it, and only through their index
  [`${USERS}/core/audit/audit-trail.ts`]: [['../../identity/index.js', '../../onboarding-database.js']],
  [`${USERS}/kyc/pan/pan.service.ts`]: [['../../core/audit/audit-trail.js'], ['../../core/index.js']],
  [`${USERS}/app.module.ts`]: [['./kyc/kyc.module.js']],
};

for (const [file, [forbidden, allowed = []]] of Object.entries(IMPORTS))
  test(`refuses imports in ${file}`, async () => {
    for (const name of [...forbidden, ...allowed])
      assert.equal(await isRefused(file, `import { x } from '${name}';`), forbidden.includes(name), name);
  });

test('refuses an error code outside of the catalogue, and an enum', async () => {
  const code = "export const code = 'SVCUSER2201';";
  for (const file of [`${USERS}/kyc/pan/pan.service.ts`, 'apps/users-service/test/kyc/pan.spec.ts'])
    assert.equal(await isRefused(file, code), true, file);
  assert.equal(await isRefused('libs/contracts/src/users/pan.ts', 'export enum Pan {}'), true);
  assert.equal(await isRefused('libs/errors/src/catalogue/pan.ts', code), false);
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
    const ours = (names) => Object.keys(names).flatMap((name) => /^@fd\/(.*)/.exec(name)?.[1] ?? []);
    const known = [...allowed, ...(SERVES[project] ?? [])];
    assert.deepEqual(
      ours(dependencies).filter((name) => !known.includes(name)),
      [],
      project,
    );
    assert.deepEqual(
      ours(devDependencies).filter((name) => !TEST_LIBS.includes(name)),
      [],
      project,
    );
  }
});
