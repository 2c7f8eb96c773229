import { ConfigError, dataSourceOptions, migrate, withDatabase } from '@fd/platform';
import {
  administer,
  createTestDatabase,
  inParallel,
  SERVICE_ROLE,
  type TestDatabase,
  TwinSchemas,
} from '@fd/testing';
import { DataSource } from 'typeorm';
import { apiKeysCommand } from '../../src/api-keys/api-keys.command.js';
import { importCommand } from '../../src/catalogue/import/import.command.js';
import { commandDatabaseConfig } from '../../src/config/master-config.js';
import { CATALOGUE_DATABASE } from '../../src/database/definition.js';
import { BY_A_TEST, runCommand } from '../support/command-line.js';
import { CATALOGUE_FOLDER, createStores, type MasterStores, startApp } from '../support/master-app.js';

describe("the catalogue's database role", () => {
  let stores: MasterStores;
  beforeAll(async () => {
    stores = await createStores();
  });
  afterAll(() => stores.drop());

  /** Runs a statement as an attacker who controls a replica. */
  const asService = (statement: string) => administer(stores.environment['DATABASE_URL']!, statement);
  const asOwner = (...statements: string[]) => administer(stores.databaseUrl, ...statements);

  it('lets the role read every table of the service, and insert, change and delete no row', async () => {
    const tables = (await asOwner(
      `SELECT table_name AS name, min(column_name) AS col FROM information_schema.columns
        WHERE table_schema = 'catalogue' GROUP BY 1 ORDER BY 1`,
    )) as { name: string; col: string }[];
    expect(tables.map(({ name }) => name)).toEqual([
      'api_keys',
      'issuers',
      'migrations',
      'revisions',
      'vehicles',
    ]);
    for (const { name, col } of tables) {
      const table = `catalogue.${name}`;
      for (const statement of [
        `INSERT INTO ${table} DEFAULT VALUES`,
        `UPDATE ${table} SET ${col} = ${col}`,
        `DELETE FROM ${table}`,
        `TRUNCATE ${table}`,
        `ALTER TABLE ${table} ADD COLUMN own int`,
      ])
        await expect(asService(statement)).rejects.toThrow(/permission denied|must be owner/);
      const read = asService(`SELECT FROM ${table}`);
      if (name === 'migrations') await expect(read).rejects.toThrow('permission denied');
      else await read;
    }
  });

  it('revokes the rights that the role had in the release before', async () => {
    await asOwner(`GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA catalogue TO ${SERVICE_ROLE}`);
    await migrate({ url: stores.databaseUrl, poolSize: 2, serviceRole: SERVICE_ROLE }, CATALOGUE_DATABASE);
    await expect(asService('DELETE FROM catalogue.api_keys')).rejects.toThrow('permission denied');
  });

  describe('of a command', () => {
    const commands = (environment: NodeJS.ProcessEnv) => {
      const connected = withDatabase(() => commandDatabaseConfig(environment), CATALOGUE_DATABASE);
      return { keys: apiKeysCommand(connected, () => true), imports: importCommand(connected) };
    };

    it('lets a command without the owner read, and refuses its changes', async () => {
      const { keys, imports } = commands(stores.environment);
      expect((await runCommand(keys, 'list')).stdout).toContain('tests');
      expect((await runCommand(imports, CATALOGUE_FOLDER)).stdout).toContain('Nothing to change');
      expect((await runCommand(keys, 'create', '--client', 'northwind', ...BY_A_TEST)).stderr).toContain(
        'run the command with the MIGRATIONS_DATABASE_URL',
      );
    });

    it('lets a command write as the owner when the URL of the owner is given', async () => {
      const { keys } = commands({
        ...stores.environment,
        MIGRATIONS_DATABASE_URL: stores.databaseUrl,
        SERVICE_DATABASE_ROLE: SERVICE_ROLE,
      });
      expect((await runCommand(keys, 'create', '--client', 'northwind', ...BY_A_TEST)).stdout).toContain(
        'northwind',
      );
    });
  });

  describe('in production', () => {
    const start = async (role: string, overrides: object = {}) => {
      const url = new URL(stores.environment['DATABASE_URL']!);
      if (role !== SERVICE_ROLE) url.username = url.password = role;
      const environment = { ...stores.environment, ...overrides, DATABASE_URL: url.href };
      await (await startApp(environment, { isRoleChecked: true })).close();
    };

    it('starts the service with a role that only reads', async () => {
      await start(SERVICE_ROLE);
    });

    it.each([
      ['of the owner', 'GRANT postgres TO writer', 'SUPERUSER'],
      ['that makes keys', 'GRANT INSERT ON catalogue.api_keys TO writer', 'INSERT on catalogue.api_keys'],
      [
        'that makes keys by a single column',
        'GRANT INSERT (client) ON catalogue.api_keys TO writer',
        'INSERT on catalogue.api_keys',
      ],
      [
        'that changes rates',
        'GRANT UPDATE (rate) ON catalogue.vehicles TO writer',
        'UPDATE on catalogue.vehicles',
      ],
      [
        'that deletes revisions',
        'GRANT DELETE ON catalogue.revisions TO writer',
        'DELETE on catalogue.revisions',
      ],
      ['that makes triggers', 'GRANT TRIGGER ON catalogue.issuers TO writer', 'TRIGGER on catalogue.issuers'],
      [
        'of users-service, with personal data',
        'GRANT SELECT, INSERT ON onboarding.users TO writer',
        'INSERT, SELECT on onboarding.users',
      ],
    ])('does not start the service with a role %s', async (_name, grant, excess) => {
      await asOwner(
        'CREATE SCHEMA onboarding',
        'CREATE TABLE onboarding.users (id int)',
        "CREATE ROLE writer LOGIN NOINHERIT PASSWORD 'writer'",
        'GRANT USAGE ON SCHEMA catalogue TO writer',
        `GRANT ${SERVICE_ROLE} TO writer`,
        grant,
      );
      try {
        const started = start('writer');
        await expect(started).rejects.toThrow(ConfigError);
        await expect(started).rejects.toThrow(excess);
      } finally {
        await asOwner('DROP OWNED BY writer', 'DROP ROLE writer', 'DROP SCHEMA onboarding CASCADE');
      }
    });
  });
});

let database: TestDatabase;

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
  beforeEach(async () => {
    database = await createTestDatabase();
  });
  afterEach(() => database.drop());

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

describe('the entities', () => {
  let schemas: TwinSchemas;
  beforeAll(async () => {
    schemas = await TwinSchemas.create(CATALOGUE_DATABASE);
  });
  afterAll(() => schemas.drop());

  it('describe all tables as the migrations make them', async () => {
    expect(await schemas.differences()).toEqual([]);
  });

  it('differ from the migrations by another constraint', async () => {
    const differences = await schemas.differences(
      'ALTER TABLE catalogue.issuers DROP CONSTRAINT uq_issuers__code, ADD CONSTRAINT uq_issuers__code UNIQUE (code)',
    );
    expect(differences).toEqual([
      '- issuers uq_issuers__code UNIQUE (code) DEFERRABLE',
      '+ issuers uq_issuers__code UNIQUE (code)',
    ]);
  });
});
