import type { QueryRunner } from 'typeorm';
import { CommandError } from '../run-cli.js';
import type { DatabaseDefinition } from './database.module.js';

export type TableRight = 'SELECT' | 'INSERT' | 'UPDATE' | 'DELETE';

/** Rights of the service's role on tables without restrictions. */
const ORDINARY: readonly TableRight[] = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'];

/** Only for migrations. */
const MIGRATIONS_TABLE = 'migrations';

interface TableRights {
  readonly name: string;
  readonly isPartition: boolean;
  readonly rights: string[];
}

/**
 * Grants the service's role its rights in the schema, and revokes all others: it reads and writes rows, and owns and
 * alters nothing. The owner calls it after migrations; skips tables whose rights are correct. @throws CommandError if
 * the role does not exist or has the owner's rights
 */
export async function grantRights(
  runner: QueryRunner,
  { schema, restricted = {} }: DatabaseDefinition,
  role: string,
): Promise<void> {
  await expectLesserRole(runner, role);
  const [to, on] = [quoted(role), quoted(schema)];
  await runner.startTransaction();
  try {
    await runner.query(`GRANT USAGE ON SCHEMA ${on} TO ${to}`);
    await runner.query(`GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA ${on} TO ${to}`);
    for (const { name, isPartition, rights } of await rightsIn(runner, schema, role)) {
      // partitions are accessed through their table
      const none = isPartition || name === MIGRATIONS_TABLE;
      const required = none ? [] : (restricted[name] ?? ORDINARY);
      if (String([...required].sort()) === String(rights)) continue;
      const table = `${on}.${quoted(name)}`;
      await runner.query(`REVOKE ALL ON ${table} FROM ${to}`);
      if (required.length > 0) await runner.query(`GRANT ${required.join(', ')} ON ${table} TO ${to}`);
    }
    await runner.commitTransaction();
  } catch (error) {
    await runner.rollbackTransaction();
    throw error;
  }
}

/** A superuser counts as a member of every role. */
async function expectLesserRole(runner: QueryRunner, role: string): Promise<void> {
  const [found] = (await runner.query(
    `SELECT pg_has_role(oid, current_user, 'MEMBER') AS "isOwner" FROM pg_roles WHERE rolname = $1`,
    [role],
  )) as { isOwner: boolean }[];
  if (!found) throw new CommandError(`SERVICE_DATABASE_ROLE: PostgreSQL has no role ${role}`);
  if (found.isOwner) throw new CommandError(`SERVICE_DATABASE_ROLE: ${role} has the rights of the owner`);
}

const rightsIn = (runner: QueryRunner, schema: string, role: string): Promise<TableRights[]> =>
  runner.query(
    `SELECT c.relname AS name, c.relispartition AS "isPartition",
            ARRAY(SELECT privilege_type FROM aclexplode(c.relacl) WHERE grantee = r.oid ORDER BY privilege_type COLLATE "C")
              AS rights
       FROM pg_class c, pg_roles r
      WHERE c.relnamespace = $1::regnamespace AND c.relkind IN ('r', 'p') AND r.rolname = $2`,
    [quoted(schema), role],
  ) as Promise<TableRights[]>;

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
