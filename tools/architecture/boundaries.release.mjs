import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ESLint } from 'eslint';
import { USERS_DOMAINS } from './boundaries.mjs';
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
    ['@fd/testing', '@fd/client/server', '../../../libs/errors/src/index.js'],
    ['@fd/errors'],
  ],
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

test('refuses an injected repository in a transaction', async () => {
  const method = (parameter, body) => `export class Rows {
    constructor(@InjectRepository(Row) private readonly rows: Repository<Row>) {}
    async all(${parameter}): Promise<void> { ${body} }
  }`;
  const file = `${USERS}/kyc/pan/pan.service.ts`;
  for (const [isBad, parameter, body] of [
    [true, 'tx: EntityManager', 'await this.rows.find();'],
    [true, '', 'await this.dataSource.transaction(async (tx) => { await this.manager.find(Row); });'],
    [false, 'tx: EntityManager', 'await tx.find(Row);'],
    [false, '', 'await this.rows.manager.transaction(async (tx) => { await tx.find(Row); });'],
  ])
    assert.equal(await isRefused(file, method(parameter, body)), isBad, body);
  const misnamed = method('', '').replace('readonly rows', 'readonly users');
  assert.equal(await isRefused(file, misnamed), true);
});

test('refuses tables of another domain', async () => {
  for (const [isBad, code] of [
    [true, 'await tx.findBy(Session, { userId });'],
    [true, 'await tx.createQueryBuilder().delete().from(User);'],
    [true, "const TEXT = 'SELECT id FROM onboarding.users WHERE id = $1';"],
    [true, 'const TEXT = `DELETE FROM onboarding.bank_accounts ${where}`;'],
    [false, 'await tx.findBy(PanCheckRow, { userId });'],
    [false, "calls.leftJoin(UserOnHold, 'held', 'held.userId = t.userId');"],
    [false, 'const TEXT = `SELECT id FROM onboarding.pan_checks ${where}`;'],
  ])
    assert.equal(await isRefused(`${USERS}/kyc/pan/pan.service.ts`, code), isBad, code);
});

test('refuses expressions of more than linear time', async () => {
  const rulesFor = async (pattern) => {
    const filePath = join(root, USERS, 'kyc/pan/pan.service.ts');
    const [{ messages }] = await eslint.lintText(`export const text = ${pattern};\n`, { filePath });
    return messages.map(({ ruleId }) => ruleId).filter((rule) => /^(?:redos|regexp)/.test(rule));
  };
  // by its automaton and by trial; the last is the pattern that MSG91's answer slowed down
  for (const pattern of [
    '/ from .* on$/',
    '/\\B(?=(?:\\d\\d)*\\d{3}\\.)/g',
    '/\\bIP\\b.*\\bblack-?listed\\b/i',
  ])
    assert.ok((await rulesFor(pattern)).includes('redos/no-vulnerable'), pattern);
  assert.deepEqual(await rulesFor('/^[a-z]+$/'), []);
});

test('knows every folder of users-service', () => {
  const entries = readdirSync(join(root, USERS), { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  assert.deepEqual(folders.sort(), USERS_DOMAINS.toSorted());
});
