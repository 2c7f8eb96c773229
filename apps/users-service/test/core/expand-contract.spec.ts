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
 * Rules that a migration has put on a table of the release before it, and why that release lives with them. Whatever
 * else a migration may break is no exception but two releases: first what can be left out, then the rest.
 */
const HARMLESS: Readonly<Record<string, string>> = {
  'UniteLivingConsents1763810000001: consents uq_consents__living may refuse what was accepted':
    'it is about rows with is_united, which that release does not write',
  'AddEmail1763830000000: users ck_users__email may refuse what was accepted':
    'it is about columns that are null in what that release writes',
  'AddEmail1763830000000: users ck_users__email_index may refuse what was accepted': 'the same',
  'AddEmail1763830000000: users uq_users__email_index may refuse what was accepted': 'the same',
  'BoundInsights1763871000000: insight_events tr_insight_events__append_only may refuse what was accepted':
    'it refuses less than before: deletions are now the business of the other trigger',
  'BoundInsights1763871000000: insight_events tr_insight_events__kept may refuse what was accepted':
    'that release could delete nothing',
};

describe('a release that runs while the next one migrates', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  it('finds all that it reads and writes, after each migration', async () => {
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
    expect(broken.filter((text) => !(text in HARMLESS))).toEqual([]);
    expect(Object.keys(HARMLESS).filter((text) => !broken.includes(text))).toEqual([]);
    recordEvidence('expand-contract', { migrations: migrations.length, 'that break the release before': 0 });
  });
});
