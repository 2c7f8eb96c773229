import type { QueryRunner } from 'typeorm';
import { CommandError } from '../run-cli.js';
import type { DatabaseDefinition } from './database.module.js';

export type TableRight = 'SELECT' | 'INSERT' | 'UPDATE' | 'DELETE';

/** Rights of the service's role on tables of a definition that lists none. */
const ORDINARY: readonly TableRight[] = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'];

/** Only for migrations. */
const MIGRATIONS_TABLE = 'migrations';

interface TableRights {
  readonly name: string;
  readonly isPartition: boolean;
  readonly rights: string[];
}

/**
 * Grants the service's role its rights in the schema, and revokes all others: it owns and alters nothing. The owner
 * calls it after migrations; skips tables whose rights are correct. @throws CommandError if the role does not exist or
 * has the owner's rights
 */
export async function grantRights(
  runner: QueryRunner,
  { schema, rights: usual = ORDINARY, restricted = {} }: DatabaseDefinition,
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
      const required = none ? [] : (restricted[name] ?? usual);
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

/** Rights that the role of a running service must not have on some tables. */
export interface RefusedRights {
  readonly schema: string;
  /** Pattern of LIKE for names of tables. */
  readonly tables: string;
  readonly rights: readonly ('INSERT' | 'UPDATE' | 'DELETE')[];
}

/**
 * Whether the role of the connection has such a right, could give it to itself, or could let the owner act for it: RESET
 * ROLE gives a session its first role back, SET ROLE gives a NOINHERIT member the rights of the owner, a trigger may run as
 * the owner, who owns the schema may drop its tables, and CREATEROLE may grant itself the owner.
 */
export async function hasRefusedRights(
  database: { query<T extends readonly unknown[]>(sql: string, values: unknown[]): Promise<T> },
  { schema, tables, rights }: RefusedRights,
): Promise<boolean> {
  const [row] = await database.query<[{ mayChange: boolean | null }]>(
    `SELECT bool_or(has_table_privilege(role, c.oid, $3 || ', TRUNCATE, TRIGGER')
                    OR has_any_column_privilege(role, c.oid, $4)
                    OR pg_has_role(role, relowner, 'MEMBER')
                    OR pg_has_role(role, nspowner, 'MEMBER')
                    OR EXISTS (SELECT FROM pg_roles WHERE rolcreaterole AND pg_has_role(role, oid, 'MEMBER'))
                    OR pg_has_role(role, 'pg_execute_server_program', 'MEMBER')
                    OR pg_has_role(role, 'pg_write_server_files', 'MEMBER')) AS "mayChange"
       FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace, unnest(ARRAY[current_user, session_user]) role
      WHERE nspname = $1 AND relkind IN ('r', 'p') AND relname LIKE $2`,
    // no right to delete is one of a column
    [schema, tables, rights.join(', '), rights.filter((right) => right !== 'DELETE').join(', ')],
  );
  return row.mayChange === true;
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
