import type { UsersApp } from './users-app.js';

/** Runs a statement of an administrator with triggers off, such as one that makes rows of the past. */
export const withoutTriggers = (
  { dataSource }: UsersApp,
  statement: string,
  values: unknown[],
): Promise<void> =>
  dataSource.transaction(async (transaction) => {
    await transaction.query('SET LOCAL session_replication_role = replica');
    await transaction.query(statement, values);
  });
