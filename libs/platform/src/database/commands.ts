import { setTimeout as sleep } from 'node:timers/promises';
import { timeLimit } from '@fd/envelope';
import { DataSource, type DataSourceOptions, MigrationExecutor, type QueryRunner } from 'typeorm';
import { type Command, CommandError, say } from '../run-cli.js';
import type { OwnerConfig } from '../config/command-settings.js';
import type { DatabaseConfig } from '../config/common-settings.js';
import { codeOf, DEADLOCK, INSUFFICIENT_PRIVILEGE } from './database-errors.js';
import { BoundedClient } from './bounded-client.js';
import { type DatabaseDefinition, dataSourceOptions } from './database.module.js';
import { grantRights } from './grants.js';
import { ServiceDataSource } from './service-data-source.js';

export type WithDatabase = <T>(work: (dataSource: DataSource) => Promise<T>) => Promise<T>;

const CONNECT_TIMEOUT_MS = timeLimit(10_000);

/** Of errors that an operator can resolve, by SQLSTATE. */
const EXPLANATIONS: Readonly<Record<string, string>> = {
  // undefined_table
  '42P01': 'The tables are missing: run migrate first.',
  [INSUFFICIENT_PRIVILEGE]:
    'The role of the service may not do this: run the command with the MIGRATIONS_DATABASE_URL and SERVICE_DATABASE_ROLE of migrate.',
};

const REPEATS = 5;

/** A migration that waits for a table blocks all later statements: it fails soon and is retried. */
const LOCK_TIMEOUT_MS = timeLimit(5_000);

const LOCK_PAUSE_MS = 200;

/**
 * Lifts the limits of a role for services behind a pooler. All statements name their schema: an owner of the database could put
 * functions of its own before those of PostgreSQL (ALTER DATABASE ... SET search_path), and the owner of the schema would run them.
 */
const OPTIONS =
  '-c statement_timeout=0 -c lock_timeout=0 -c idle_in_transaction_session_timeout=0 -c search_path=pg_catalog';

/** Arbitrary key of the advisory lock, common to both services and all replicas. */
const LOCK_CLASS = 7_401;

/** Without the limits of requests: commands may take longer and wait for each other. */
function commandOptions(
  config: DatabaseConfig,
  definition: DatabaseDefinition,
  extra: object = {},
): DataSourceOptions {
  return {
    ...dataSourceOptions(config, definition),
    extra: {
      Client: BoundedClient,
      application_name: `fd-${definition.schema}-command`,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      ...(!config.isPooled && { options: OPTIONS }),
      ...extra,
    },
  };
}

/**
 * Returns a function that runs work on a connection of its own and closes it. Repeats the work after a deadlock with workers or
 * requests, so that the work must be safe to repeat after each of its transactions.
 * @param config called only when there is work, so that other commands need no settings
 * @throws CommandError if the tables are missing or the role may not do this
 */
export function withDatabase(config: () => DatabaseConfig, definition: DatabaseDefinition): WithDatabase {
  return async (work) => {
    const options = commandOptions({ ...config(), poolSize: 1 }, definition);
    const dataSource = await new ServiceDataSource(options).initialize();
    try {
      for (let repeats = 0; ; repeats++) {
        try {
          return await work(dataSource);
        } catch (error) {
          if (codeOf(error) !== DEADLOCK || repeats === REPEATS) throw error;
        }
      }
    } catch (error) {
      const explanation = EXPLANATIONS[codeOf(error) ?? ''];
      throw explanation === undefined ? error : new CommandError(explanation);
    } finally {
      await dataSource.destroy();
    }
  };
}

/**
 * Applies pending migrations, each in its own transaction. Safe to run in parallel: one run works, the others wait. Then
 * grants the rights of the service's role, if there is one.
 * @returns names of the migrations that were applied by this call
 * @throws CommandError if the schema has migrations that this release does not know, and lacks some of this release
 */
export async function migrate(
  { serviceRole, ...config }: OwnerConfig,
  definition: DatabaseDefinition,
): Promise<string[]> {
  // one connection holds the lock, another one works
  const options = commandOptions({ ...config, poolSize: 2 }, definition, { lock_timeout: LOCK_TIMEOUT_MS });
  const dataSource = await new DataSource(options).initialize();
  const lock = dataSource.createQueryRunner();
  try {
    await waitForLock(lock, definition.schema);
    await lock.query(`CREATE SCHEMA IF NOT EXISTS "${definition.schema}"`);
    await requireKnownHistory(dataSource, definition);
    const applied = await dataSource.runMigrations({ transaction: 'each' });
    const problem = await definition.afterMigrations?.(dataSource);
    if (serviceRole !== undefined)
      await dataSource.transaction((owner) => grantRights(owner, definition, serviceRole));
    if (problem !== undefined) throw new CommandError(`the migrations are applied, but ${problem}`);
    return applied.map((migration) => migration.name);
  } finally {
    // closing the connection releases the lock
    await lock.release();
    await dataSource.destroy();
  }
}

const MAX_NAMED = 3;

/**
 * Requires that this release knows all applied migrations before it adds its own: otherwise the schema would be a mixture of two
 * histories. After a roll-back there is nothing to add, and the migrations of the later release are accepted.
 * @throws CommandError
 */
async function requireKnownHistory(dataSource: DataSource, definition: DatabaseDefinition): Promise<void> {
  const { schema, migrations } = definition;
  const executor = new MigrationExecutor(dataSource);
  const known = new Set(migrations.map(({ name }) => name));
  const unknown = (await executor.getExecutedMigrations()).filter(({ name }) => !known.has(name));
  if (unknown.length === 0 || (await executor.getPendingMigrations()).length === 0) return;
  // the latest ones
  const names = unknown.slice(0, MAX_NAMED).map(({ name }) => name);
  const more = unknown.length > MAX_NAMED ? ` and ${unknown.length - MAX_NAMED} more` : '';
  throw new CommandError(
    `The schema ${schema} has migrations that this release does not know (${names.join(', ')}${more}), so nothing was applied. Migrate with the later release that made them. A schema from before the first release must be created anew (in development: npm run reset).`,
  );
}

/**
 * Waits for a parallel migration. Polls, because a waiting statement would hold a snapshot, for which CREATE INDEX
 * CONCURRENTLY waits.
 */
async function waitForLock(runner: QueryRunner, schema: string): Promise<void> {
  const statement = 'SELECT pg_try_advisory_lock($1, hashtext($2)) AS "isOurs"';
  const tryLock = () => runner.query(statement, [LOCK_CLASS, schema]) as Promise<[{ isOurs: boolean }]>;
  while (!(await tryLock())[0].isOurs) await sleep(LOCK_PAUSE_MS);
}

export function migrateCommand(config: () => OwnerConfig, definition: DatabaseDefinition): Command {
  return {
    name: 'migrate',
    usage: '',
    summary:
      'Applies pending migrations and grants SERVICE_DATABASE_ROLE its rights. Safe to run concurrently.',
    run: async () => {
      const applied = await migrate(config(), definition);
      say(applied.length ? `applied ${applied.join(', ')}` : 'nothing to migrate');
    },
  };
}
