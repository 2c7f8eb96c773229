import { randomUUID } from 'node:crypto';
import { dataSourceOptions, migrate } from '@fd/platform';
import { createTestDatabase, type TestDatabase } from '@fd/testing';
import { DataSource } from 'typeorm';
import { ONBOARDING_DATABASE } from '../src/database/definition.js';
import { CreateLoginTables1763700000000 } from '../src/database/migrations/1763700000000-create-login-tables.js';
import { CreateJourney1763800000000 } from '../src/database/migrations/1763800000000-create-journey.js';

describe('the migrations', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createTestDatabase();
  });
  afterEach(() => database.drop());

  const config = () => ({ url: database.url, poolSize: 1 });
  const withSource = async <T>(work: (source: DataSource) => Promise<T>): Promise<T> => {
    const source = await new DataSource(dataSourceOptions(config(), ONBOARDING_DATABASE)).initialize();
    try {
      return await work(source);
    } finally {
      await source.destroy();
    }
  };
  /** Everything that the schema consists of, one line each. */
  const shape = () =>
    withSource(async (source) => {
      const rows = await source.query<{ line: string }[]>(
        `SELECT concat_ws(' ', table_name, column_name, data_type, is_nullable, column_default) AS line
           FROM information_schema.columns WHERE table_schema = 'onboarding'
         UNION ALL SELECT concat_ws(' ', conrelid::regclass, conname, pg_get_constraintdef(oid))
           FROM pg_constraint WHERE connamespace = 'onboarding'::regnamespace
         UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'onboarding'
         UNION ALL SELECT concat_ws(' ', tgrelid::regclass, tgname) FROM pg_trigger WHERE NOT tgisinternal
         ORDER BY 1`,
      );
      return rows.map(({ line }) => line);
    });

  it('can be taken back one by one and applied again, to the same schema', async () => {
    const applied = await migrate(config(), ONBOARDING_DATABASE);
    expect(applied).toHaveLength(ONBOARDING_DATABASE.migrations.length);
    const before = await shape();
    await withSource(async (source) => {
      for (const _ of applied) await source.undoLastMigration();
    });
    expect((await shape()).filter((line) => !/migrations/.test(line))).toEqual([]);
    expect(await migrate(config(), ONBOARDING_DATABASE)).toHaveLength(applied.length);
    expect(await shape()).toEqual(before);
  });

  it('name every constraint by hand', async () => {
    await migrate(config(), ONBOARDING_DATABASE);
    const names = await withSource((source) =>
      source.query<{ name: string; table: string }[]>(
        `SELECT conname AS name, relname AS table FROM pg_constraint c JOIN pg_class t ON t.oid = c.conrelid
          WHERE connamespace = 'onboarding'::regnamespace AND contype IN ('p', 'u', 'f', 'c')
            AND relname <> 'migrations'`,
      ),
    );
    expect(names.length).toBeGreaterThan(20);
    for (const { name, table } of names)
      expect(name).toMatch(new RegExp(`^(pk|uq|fk|ck)_${table}(__\\w+)?$`));
  });

  it('unite consents that were given again while they lived, and keep all others', async () => {
    await migrate(config(), {
      ...ONBOARDING_DATABASE,
      migrations: [CreateLoginTables1763700000000, CreateJourney1763800000000],
    });
    const [user, partner] = [randomUUID(), randomUUID()];
    await withSource(async (source) => {
      await source.query('INSERT INTO onboarding.users VALUES ($1, $2, $3)', [
        user,
        Buffer.alloc(32),
        'k1.x',
      ]);
      await source.query("INSERT INTO onboarding.partners VALUES ($1, 'P', 'https://p.example', '{}')", [
        partner,
      ]);
      await source.query(
        `INSERT INTO onboarding.consents
         SELECT gen_random_uuid(), $1, $2, 'TERMS_OF_USE', version, '\\x00', given_at::timestamp AT TIME ZONE 'UTC', withdrawn_at
           FROM (VALUES ('2025-01', '2025-02-01', NULL), ('2026-11', '2026-11-01', now()),
                        ('2026-11', '2026-11-02', NULL), ('2026-11', '2026-11-03', NULL),
                        ('2026-11', '2026-11-03', NULL)) AS c (version, given_at, withdrawn_at)`,
        [user, partner],
      );
    });
    await migrate(config(), ONBOARDING_DATABASE);
    const kept = await withSource((source) =>
      source.query<unknown[]>(
        `SELECT notice_version AS version, extract(day FROM given_at AT TIME ZONE 'UTC')::int AS day,
                withdrawn_at IS NULL AS is_living
           FROM onboarding.consents ORDER BY given_at`,
      ),
    );
    expect(kept).toEqual([
      { version: '2025-01', day: 1, is_living: true },
      { version: '2026-11', day: 1, is_living: false },
      { version: '2026-11', day: 2, is_living: true },
    ]);
  });
});
