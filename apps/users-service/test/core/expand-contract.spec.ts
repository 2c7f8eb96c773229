import { migrate } from '@fd/platform';
import {
  breaksFormer,
  createTestDatabase,
  recordEvidence,
  schemaShape,
  type TestDatabase,
} from '@fd/testing';
import { ONBOARDING_DATABASE } from '../../src/onboarding-database.js';

/**
 * Constraints that a migration added to a table of the former release, as the test reports them, and why they do not break that
 * release. Any other breaking change takes two releases: the first adds optional parts, the second the rest.
 */
const HARMLESS: Readonly<Record<string, string>> = {
  'BoundKeysInUse1764382000000: keys_in_use ck_keys_in_use__key_id may refuse values that were accepted':
    'that release records only ids of its settings, which have this form',
  'BoundKeysInUse1764382000000: keys_in_use tr_keys_in_use__seen_now may refuse values that were accepted':
    'that release leaves seen_at of a new row to the default, now()',
  'KeepKeysInUse1764381000000: keys_in_use tr_keys_in_use__about_now may refuse values that were accepted':
    'that release sets seen_at to now() alone',
  'KeepKeysInUse1764381000000: keys_in_use tr_keys_in_use__kept may refuse values that were accepted':
    'that release forgets keys only after the rotation of their values, and adds a check value once',
};

describe('migrations while the former release runs', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  it('keeps everything that the former release reads and writes, after each migration', async () => {
    const { migrations, schema } = ONBOARDING_DATABASE;
    const broken: string[] = [];
    let before = await schemaShape(database.url, schema).catch(() => undefined);
    for (let count = 1; count <= migrations.length; count++) {
      const definition = { ...ONBOARDING_DATABASE, migrations: migrations.slice(0, count) };
      const applied = await migrate({ url: database.url, poolSize: 1 }, definition);
      expect(applied).toHaveLength(1);
      const after = await schemaShape(database.url, schema);
      if (before) broken.push(...breaksFormer(before, after).map((text) => `${applied[0]}: ${text}`));
      before = after;
    }
    expect(before!.columns.size).toBeGreaterThan(100);
    // partitions have the triggers of their table
    const ofTable = (text: string): string =>
      text.replace(/((?:journey|insight|audit)_events)_(?:\d{4}(?:_\d\d)?|default) /, '$1 ');
    expect(broken.filter((text) => !(ofTable(text) in HARMLESS))).toEqual([]);
    expect(Object.keys(HARMLESS).filter((text) => !broken.includes(text))).toEqual([]);
    recordEvidence('expand-contract', { migrations: migrations.length, 'that break the release before': 0 });
  });
});
