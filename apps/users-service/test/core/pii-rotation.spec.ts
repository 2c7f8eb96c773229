import { inParallel } from '@fd/testing';
import { usersConfig } from '../../src/config/users-config.js';
import { forgetOtherKeys } from '../../src/core/pii/key-register.js';
import { rotateKeys } from '../../src/core/pii/key-rotation.js';
import { PII_COLUMNS } from '../../src/core/pii/pii-columns.table.js';
import { PiiCipher } from '../../src/core/pii/pii-cipher.js';
import { as, logIn } from '../support/login.js';
import { runPii, WHO } from '../support/operator.js';
import { secretText } from '../support/settings.js';
import { startService, type TestService } from '../support/users-app.js';

const [oldKey, newKey] = [`old:${secretText()}`, `new:${secretText()}`];

let service: TestService;
beforeAll(async () => {
  service = await startService({ PII_KEYS: oldKey });
});
afterAll(() => service.close());

const cipherOf = (keys: string) =>
  new PiiCipher(usersConfig({ ...service.environment, PII_KEYS: keys }).pii.keys);

/** Returns the ids of the keys that encrypt the values of all columns. */
async function keysInUse(): Promise<Set<string>> {
  const found = new Set<string>();
  for (const { table, column } of PII_COLUMNS) {
    const rows = await service.dataSource.query<{ key: string }[]>(
      `SELECT DISTINCT split_part(${column}_encrypted, '.', 1) AS key FROM onboarding.${table}
        WHERE ${column}_encrypted IS NOT NULL`,
    );
    for (const { key } of rows) found.add(key);
  }
  return found;
}

describe('list of encrypted columns', () => {
  it('lists every encrypted column of the schema, since a missing one would become unreadable', async () => {
    const columns = await service.dataSource.query<{ name: string }[]>(
      `SELECT table_name || '.' || column_name AS name FROM information_schema.columns
        WHERE table_schema = 'onboarding' AND column_name LIKE '%\\_encrypted' ORDER BY 1`,
    );
    const listed = PII_COLUMNS.map(({ table, column }) => `${table}.${column}_encrypted`).sort();
    expect(columns.map(({ name }) => name)).toEqual(listed);
  });
});

describe('the command pii:rotate', () => {
  const events = () =>
    service.dataSource.query<object[]>(
      `SELECT actor, action, outcome, code FROM onboarding.audit_unsealed WHERE action LIKE 'PII_%'
        UNION ALL SELECT actor, action, outcome, code FROM onboarding.audit_events WHERE action LIKE 'PII_%' ORDER BY action DESC`,
    );

  it.each([
    ['operator', ['--reason', 'TICKET_1'], '--by must be'],
    ['reason', ['--by', 'asha-rao'], '--reason must be'],
  ])('refuses to run without its %s, and records nothing', async (_name, args, problem) => {
    await expect(runPii(service, ...args)).rejects.toThrow(problem);
    expect(await events()).toEqual([]);
  });

  it('records who ran it and why', async () => {
    expect(await runPii(service, ...WHO)).toContain('everything is encrypted with the key old');
    const ours = { actor: 'operator:pii:rotate by asha-rao', outcome: 'OK', code: 'TICKET_4711' };
    expect(await events()).toEqual([
      { ...ours, action: 'PII_ROTATION_STARTED' },
      { ...ours, action: 'PII_ROTATION_ENDED' },
    ]);
  });
});

describe('rotation of the key of personal data', () => {
  it('re-encrypts all values while replicas write, and loses none', async () => {
    const logins = await inParallel(6, () => logIn(service));
    expect(await keysInUse()).toEqual(new Set(['old']));
    // every replica must know the new key before values are re-encrypted
    const replica = await service.replica({ PII_KEYS: `${newKey},${oldKey}` });
    const [, during] = await Promise.all([
      rotateKeys(service.database, cipherOf(`${newKey},${oldKey}`)),
      inParallel(6, () => logIn(replica)),
    ]);
    await rotateKeys(service.database, cipherOf(`${newKey},${oldKey}`));
    expect(await keysInUse()).toEqual(new Set(['new']));
    await forgetOtherKeys(service.database, 'new');
    const withoutTheOld = await service.replica({ PII_KEYS: newKey });
    for (const login of [...logins, ...during]) {
      const { status, body } = await as(withoutTheOld.api, login).get('/api/v1/user-profile');
      expect([status, body.payload.phone]).toEqual([200, `91XXXXXX${login.phone.slice(-4)}`]);
    }
  });

  it('re-encrypts nothing the second time', async () => {
    const rotated = await rotateKeys(service.database, cipherOf(`${newKey},${oldKey}`));
    expect(rotated.map(({ rewritten }) => rewritten)).toEqual(PII_COLUMNS.map(() => 0));
  });

  it('re-encrypts more rows than fit into one batch', async () => {
    const cipher = cipherOf(oldKey);
    await service.dataSource.query(`
      INSERT INTO onboarding.users (id, phone_index, phone_encrypted)
      SELECT gen_random_uuid(), decode(md5(n::text) || md5('x' || n), 'hex'), 'none' FROM generate_series(1, 1203) n`);
    const rows = await service.dataSource.query<{ id: string }[]>(
      `SELECT id FROM onboarding.users WHERE phone_encrypted = 'none'`,
    );
    const sealed = rows.map(({ id }) =>
      cipher.encrypt('919812345678', { table: 'users', column: 'phone', id }),
    );
    await service.dataSource.query(
      `UPDATE onboarding.users u SET phone_encrypted = v.sealed
         FROM unnest($1::uuid[], $2::text[]) AS v(id, sealed) WHERE u.id = v.id`,
      [rows.map(({ id }) => id), sealed],
    );
    const rotated = await rotateKeys(service.database, cipherOf(`${newKey},${oldKey}`));
    expect(rotated.find(({ table, column }) => table === 'users' && column === 'phone')?.rewritten).toBe(
      1_203,
    );
    expect(await keysInUse()).toEqual(new Set(['new']));
  });

  it('continues past a value that no key decrypts, and reports it', async () => {
    const [lost, other] = [await logIn(service), await logIn(service)];
    await service.dataSource.query(
      `UPDATE onboarding.users SET phone_encrypted = 'lost.' || split_part(phone_encrypted, '.', 2) WHERE id = $1`,
      [lost.user_id],
    );
    const rotated = await rotateKeys(service.database, cipherOf(`${newKey},${oldKey}`));
    const phones = rotated.find(({ table, column }) => table === 'users' && column === 'phone');
    expect(phones).toMatchObject({ rewritten: 1, left: 1, leftUnder: ['lost'] });
    const [row] = await service.dataSource.query<[{ phone_encrypted: string }]>(
      'SELECT phone_encrypted FROM onboarding.users WHERE id = $1',
      [other.user_id],
    );
    expect(row.phone_encrypted).toMatch(/^new\./);
  });
});
