import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { ESLint } from 'eslint';
import { APPS, MAY_IMPORT, SERVES, TEST_LIBS, USERS_DOMAINS } from './boundaries.mjs';

const root = new URL('../..', import.meta.url).pathname;
const eslint = new ESLint({ cwd: root });

const BOUNDARY_RULES = [
  'no-restricted-imports',
  'import-x/no-relative-packages',
  'import-x/no-restricted-paths',
];

/** Rules of the boundary table that refuse CODE as the content of an existing file. */
async function refusals(filePath, code) {
  const [result] = await eslint.lintText(code, { filePath: `${root}/${filePath}` });
  return result.messages.filter(({ ruleId }) => BOUNDARY_RULES.includes(ruleId)).map(({ ruleId }) => ruleId);
}

const forbidden = [
  ['an app imports an app', 'apps/users-service/src/main.ts', "import { x } from '@fd/master-service';"],
  [
    'an app imports another app by path',
    'apps/users-service/src/main.ts',
    "import { x } from '../../master-service/src/app.module.js';",
  ],
  [
    'an app imports a lib by path',
    'apps/users-service/src/main.ts',
    "import { AppError } from '../../../libs/errors/src/index.js';",
  ],
  [
    'an app imports the inside of a lib',
    'apps/users-service/src/main.ts',
    "import { AppError } from '@fd/errors/src/app-error.js';",
  ],
  ['the leaf imports anything', 'libs/errors/src/index.ts', "import { isPhone } from '@fd/contracts';"],
  ['a lib imports an app', 'libs/envelope/src/index.ts', "import { x } from '@fd/users-service';"],
  ['contracts import the envelope', 'libs/contracts/src/index.ts', "import { Answers } from '@fd/envelope';"],
  [
    'product code imports the test library',
    'apps/users-service/src/main.ts',
    "import { ApiClient } from '@fd/testing';",
  ],
  [
    'the client imports what frontends do not have',
    'libs/client/src/index.ts',
    "import { ERROR_CODES } from '@fd/errors';",
  ],
  [
    'the console imports what browsers do not have',
    'apps/console/src/main.tsx',
    "import { ERROR_CODES } from '@fd/errors';",
  ],
  [
    'the sandbox imports the console, which it serves',
    'apps/sandbox/src/main.ts',
    "import { App } from '@fd/console';",
  ],
  [
    'a service calls itself through the client',
    'apps/users-service/src/main.ts',
    "import { createClient } from '@fd/client';",
  ],
];

const domainsOfUsers = 'apps/users-service/src';

const forbiddenInUsers = [
  [
    'config imports the providers, which import config',
    'config/provider-settings.ts',
    "import { ProviderClients } from '../integrations/index.js';",
  ],
  [
    'core imports a domain above it',
    'core/audit/audit-trail.ts',
    "import { Partner } from '../../identity/index.js';",
  ],
  [
    'identity imports the profile',
    'identity/login/login.service.ts',
    "import { ApplicationModule } from '../../application/index.js';",
  ],
  [
    'a domain imports the inside of one below it',
    'kyc/pan/pan.service.ts',
    "import { AuditTrail } from '../../core/audit/audit-trail.js';",
  ],
  [
    'the app module imports the inside of a domain',
    'app.module.ts',
    "import { KycModule } from './kyc/kyc.module.js';",
  ],
  [
    'a domain imports what composes it',
    'core/pii/key-watch.service.ts',
    "import { ONBOARDING_DATABASE } from '../../onboarding-database.js';",
  ],
  [
    'a domain imports its own index',
    'core/pii/key-watch.service.ts',
    "import { AuditTrail } from '../index.js';",
  ],
].map(([name, file, code]) => [name, `${domainsOfUsers}/${file}`, code]);

for (const [name, filePath, code] of [...forbidden, ...forbiddenInUsers]) {
  test(`refuses: ${name}`, async () => {
    assert.notDeepEqual(await refusals(filePath, `${code}\n`), []);
  });
}

test('accepts the imports of the table', async () => {
  assert.deepEqual(
    await refusals('apps/users-service/src/main.ts', "import { AppError } from '@fd/errors';\n"),
    [],
  );
  assert.deepEqual(
    await refusals('libs/envelope/src/index.ts', "export { AppError } from '@fd/errors';\n"),
    [],
  );
  assert.deepEqual(
    await refusals(
      `${domainsOfUsers}/kyc/pan/pan.service.ts`,
      "import { AuditTrail } from '../../core/index.js';\n",
    ),
    [],
  );
});

test('refuses an error code outside of the catalogue, and an enum', async () => {
  const refused = async (filePath, code) => {
    const [result] = await eslint.lintText(code, { filePath: `${root}/${filePath}` });
    return result.messages.filter(({ ruleId }) => ruleId === 'no-restricted-syntax').length;
  };
  const code = "export const code = 'SVCUSER2201';\n";
  assert.equal(await refused(`${domainsOfUsers}/kyc/pan/pan.service.ts`, code), 1);
  assert.equal(await refused(`${domainsOfUsers}/kyc/pan/pan.service.ts`, code.replaceAll("'", '`')), 1);
  assert.equal(await refused('apps/users-service/test/kyc/pan.spec.ts', code), 1);
  assert.equal(await refused('libs/contracts/src/users/pan.ts', code), 1);
  assert.equal(await refused('libs/contracts/src/users/pan.ts', 'export enum Pan {}\n'), 1);
  assert.equal(await refused('libs/errors/src/catalogue/pan.ts', code), 0);
});

test('finds every folder of users-service in the order of its domains', () => {
  const folders = readdirSync(`${root}/${domainsOfUsers}`, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
  assert.deepEqual(folders, USERS_DOMAINS.toSorted());
});

test('finds no package that declares a forbidden dependency', () => {
  for (const [project, allowed] of Object.entries(MAY_IMPORT)) {
    const folder = APPS.includes(project) ? 'apps' : 'libs';
    const expected = [...allowed, ...(SERVES[project] ?? [])];
    const { dependencies = {}, devDependencies = {} } = JSON.parse(
      readFileSync(`${root}/${folder}/${project}/package.json`, 'utf8'),
    );
    const ours = (names) =>
      Object.keys(names)
        .filter((name) => name.startsWith('@fd/'))
        .map((name) => name.slice(4));
    assert.deepEqual(
      ours(dependencies).filter((name) => !expected.includes(name)),
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
