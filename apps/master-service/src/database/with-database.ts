import { CommandError, type DatabaseConfig, dataSourceOptions } from '@fd/platform';
import { DataSource, QueryFailedError } from 'typeorm';
import { CATALOGUE_DATABASE } from './definition.js';

/** Opens the database for one piece of work and closes it again. */
export type WithDatabase = <T>(work: (dataSource: DataSource) => Promise<T>) => Promise<T>;

const UNDEFINED_TABLE = '42P01';

/** For commands, which may take longer than a request and wait for one another. */
export function withDatabase(config: () => DatabaseConfig): WithDatabase {
  return async (work) => {
    const options = dataSourceOptions({ ...config(), poolSize: 1 }, CATALOGUE_DATABASE);
    const dataSource = new DataSource({
      ...options,
      extra: { application_name: 'fd-catalogue-command', connectionTimeoutMillis: 10_000 },
    });
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

function isMissingTable(error: unknown): boolean {
  return (
    error instanceof QueryFailedError && (error.driverError as { code?: string }).code === UNDEFINED_TABLE
  );
}
