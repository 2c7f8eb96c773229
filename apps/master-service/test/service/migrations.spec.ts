import { dataSourceOptions, migrate } from '@fd/platform';
import { createTestDatabase, inParallel, type TestDatabase } from '@fd/testing';
import { DataSource } from 'typeorm';
import { CATALOGUE_DATABASE } from '../../src/database/definition.js';

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.drop());

const config = () => ({ url: database.url, poolSize: 1 });

async function withSource<T>(work: (source: DataSource) => Promise<T>): Promise<T> {
  const source = await new DataSource(dataSourceOptions(config(), CATALOGUE_DATABASE)).initialize();
  try {
    return await work(source);
  } finally {
    await source.destroy();
  }
}

const ALL = CATALOGUE_DATABASE.migrations.length;

const tables = () =>
  withSource(async (source) => {
    const rows = await source.query<{ name: string }[]>(
      "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'catalogue' ORDER BY 1",
    );
    return rows.map(({ name }) => name);
  });

describe('migrations', () => {
  it('applies the migrations once when several replicas start together', async () => {
    const applied = await inParallel(3, () => migrate(config(), CATALOGUE_DATABASE));
    expect(applied.map(({ length }) => length).sort()).toEqual([0, 0, ALL]);
    expect(await tables()).toEqual(['api_keys', 'issuers', 'migrations', 'revisions', 'vehicles']);
  });

  it('reverts all migrations and applies them again', async () => {
    await migrate(config(), CATALOGUE_DATABASE);
    await withSource(async (source) => {
      for (let i = 0; i < ALL; i++) await source.undoLastMigration();
    });
    expect(await tables()).toEqual(['migrations']);
    expect(await migrate(config(), CATALOGUE_DATABASE)).toHaveLength(ALL);
  });

  it('names every constraint explicitly', async () => {
    await migrate(config(), CATALOGUE_DATABASE);
    const names = await withSource((source) =>
      source.query<{ name: string }[]>(
        `SELECT conname AS name FROM pg_constraint
        WHERE connamespace = 'catalogue'::regnamespace AND contype <> 'n' AND conrelid <> 'catalogue.migrations'::regclass`,
      ),
    );
    expect(names.length).toBeGreaterThan(20);
    for (const { name } of names)
      expect(name).toMatch(/^(pk|uq|fk|ck)_(issuers|vehicles|revisions|api_keys)(__\w+)?$/);
  });
});
