import { DataSource, QueryFailedError } from 'typeorm';
import { CommandError } from '../cli/run-cli.js';
import type { DatabaseConfig } from '../config/common-settings.js';
import { type DatabaseDefinition, dataSourceOptions } from './database.module.js';

/** Runs a piece of work with a connection of its own, which is closed afterwards. */
export type WithDatabase = <T>(work: (dataSource: DataSource) => Promise<T>) => Promise<T>;

const CONNECT_TIMEOUT_MS = 10_000;
const UNDEFINED_TABLE = '42P01';

/**
 * For commands, which may take longer than a request and wait for one another.
 * @param config asked for only when there is work, so that a command without any needs no settings
 */
export function withDatabase(config: () => DatabaseConfig, definition: DatabaseDefinition): WithDatabase {
  return async (work) => {
    const dataSource = new DataSource(commandOptions(config(), definition, 1));
    await dataSource.initialize();
    try {
      return await work(dataSource);
    } catch (error) {
      throw isMissingTable(error) ? new CommandError('The tables are missing: run migrate first.') : error;
    } finally {
      await dataSource.destroy();
    }
  };
}

/** Options without the limits of requests. */
export function commandOptions(
  config: DatabaseConfig,
  definition: DatabaseDefinition,
  poolSize: number,
): ReturnType<typeof dataSourceOptions> {
  return {
    ...dataSourceOptions({ ...config, poolSize }, definition),
    extra: {
      application_name: `fd-${definition.schema}-command`,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    },
  };
}

function isMissingTable(error: unknown): boolean {
  return (
    error instanceof QueryFailedError && (error.driverError as { code?: string }).code === UNDEFINED_TABLE
  );
}
