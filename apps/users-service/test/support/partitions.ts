import { type Environment, ownerDatabaseConfig, withDatabase } from '@fd/platform';
import { usersConfig } from '../../src/config/users-config.js';
import { AuditKeys } from '../../src/core/audit/audit-event.js';
import {
  type Maintained,
  maintain,
  maintenanceCommand,
} from '../../src/core/database/maintenance.command.js';
import { PARTITIONED_TABLES } from '../../src/core/database/partitioned-tables.js';
import { Partitions } from '../../src/core/database/partitions.js';
import { ONBOARDING_DATABASE } from '../../src/onboarding-database.js';
import { startService, type TestService, type UsersApp } from './users-app.js';

const asOwner = (environment: Environment) =>
  withDatabase(() => ownerDatabaseConfig(environment), ONBOARDING_DATABASE);

/** Runs the daily maintenance on the database of a running service, as the command does. */
export async function maintenance({ environment }: Pick<UsersApp, 'environment'>): Promise<Maintained> {
  const { audit } = usersConfig(environment);
  return asOwner(environment)((source) => maintain(source, new AuditKeys(audit.keys)));
}

/** Runs the command itself. @throws CommandError */
export async function runMaintenance({ environment }: Pick<UsersApp, 'environment'>): Promise<void> {
  await maintenanceCommand(asOwner(environment), () => usersConfig(environment).audit.keys).run([]);
}

/** Creates the daily partition of a given number of days ago. @returns its name */
export async function pastPartition(
  { dataSource }: Pick<UsersApp, 'dataSource'>,
  table: string,
  daysAgo: number,
): Promise<string> {
  const partitioned = PARTITIONED_TABLES.find(({ name }) => name === table)!;
  const day = new Date(Date.now() - daysAgo * 86_400_000);
  const [year, month] = [day.getUTCFullYear(), day.getUTCMonth()];
  const [start, end] =
    partitioned.width === 'year'
      ? [Date.UTC(year, 0), Date.UTC(year + 1, 0)]
      : [Date.UTC(year, month), Date.UTC(year, month + 1)];
  return new Partitions(dataSource).make(partitioned, new Date(start), new Date(end));
}

/** The names of a table's partitions. */
export async function partitionsOf(
  { dataSource }: Pick<UsersApp, 'dataSource'>,
  table: string,
): Promise<string[]> {
  const rows = await dataSource.query<{ name: string }[]>(
    `SELECT inhrelid::regclass::text AS name FROM pg_inherits
      WHERE inhparent = 'onboarding.${table}'::regclass ORDER BY 1`,
  );
  return rows.map(({ name }) => name.replace('onboarding.', ''));
}

/** Starts a service of its own whose insights may be of other months. */
export async function startWithPastInsights(): Promise<TestService> {
  const service = await startService({});
  await service.dataSource.query(
    'ALTER TABLE onboarding.insight_events DISABLE TRIGGER tr_insight_events__about_now',
  );
  return service;
}
