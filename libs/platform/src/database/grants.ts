import pg from 'pg';
import type { DataSource, EntityManager } from 'typeorm';
import { CommandError } from '../run-cli.js';
import type { DatabaseDefinition } from './database.module.js';

export type TableRight = 'SELECT' | 'INSERT' | 'UPDATE' | 'DELETE';

/** Rights of the service's role on tables of a definition that lists none. */
const ORDINARY: readonly TableRight[] = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'];

const MIGRATIONS_TABLE = 'migrations';

interface TableRights {
  readonly name: string;
  readonly isPartition: boolean;
  readonly rights: string[];
}

/**
 * Grants the service's role its rights in the schema, and revokes all others: the role owns and alters nothing. Runs after
 * migrations; skips tables whose rights are correct.
 * @param owner a transaction of the schema's owner
 * @throws CommandError if the role does not exist or has the owner's rights
 */
export async function grantRights(
  owner: EntityManager,
  definition: DatabaseDefinition,
  role: string,
): Promise<void> {
  await expectLesserRole(owner, role);
  const [to, on] = [pg.escapeIdentifier(role), pg.escapeIdentifier(definition.schema)];
  await owner.query(`GRANT USAGE ON SCHEMA ${on} TO ${to}`);
  await owner.query(`GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA ${on} TO ${to}`);
  // new partitions would get the owner's default privileges
  for (const where of ['', `IN SCHEMA ${on} `])
    await owner.query(`ALTER DEFAULT PRIVILEGES ${where}REVOKE ALL ON TABLES FROM ${to}`);
  for (const found of await owner.query<TableRights[]>(GRANTED_RIGHTS, [on, role])) {
    const required = dueRights(definition, found);
    if (String([...required].sort()) === String(found.rights)) continue;
    const table = `${on}.${pg.escapeIdentifier(found.name)}`;
    await owner.query(`REVOKE ALL ON ${table} FROM ${to}`);
    if (required.length > 0) await owner.query(`GRANT ${required.join(', ')} ON ${table} TO ${to}`);
  }
}

/**
 * Lists what the role of the connection may do beyond the rights that `grantRights` gives it, by itself or by a role that it is a
 * member of: SET ROLE gives a NOINHERIT member all rights, and RESET ROLE gives a session its first role back. Also lists settings of
 * the role that it could have changed itself, which PostgreSQL allows every role: an attacker could leave them to later replicas.
 * @param settings names of those that the role needs
 * @returns descriptions, such as `UPDATE on onboarding.audit_events`; none for the role that `migrate` has prepared
 */
export async function excessRights(
  dataSource: DataSource,
  definition: DatabaseDefinition,
  settings: readonly string[],
): Promise<string[]> {
  return dataSource.transaction(async (tx) => {
    // the owner of the database could give the role's sessions a path with functions that hide its rights
    await tx.query('SET LOCAL search_path = pg_catalog');
    const { schema, ownerFunctions = [] } = definition;
    const powers = await tx.query<{ power: string }[]>(POWERS, [
      pg.escapeIdentifier(schema),
      ownerFunctions,
      settings,
    ]);
    if (powers.some(({ power }) => power === 'SUPERUSER')) return ['SUPERUSER'];
    const tables = await tx.query<(TableRights & { schema: string })[]>(EFFECTIVE_RIGHTS);
    return [
      ...powers.map(({ power }) => power),
      ...tables.flatMap((table) => {
        const due = table.schema === definition.schema ? dueRights(definition, table) : [];
        const excess = table.rights.filter((right) => !due.includes(right));
        return excess.length > 0 ? [`${excess.join(', ')} on ${table.schema}.${table.name}`] : [];
      }),
    ];
  });
}

function dueRights(
  { rights = ORDINARY, restricted = {} }: DatabaseDefinition,
  { name, isPartition }: Pick<TableRights, 'name' | 'isPartition'>,
): readonly string[] {
  // partitions are accessed through their table
  return isPartition || name === MIGRATIONS_TABLE ? [] : (restricted[name] ?? rights);
}

/** The role of the connection, and all roles that it may become. */
const HELD = `held AS (SELECT * FROM pg_roles
  WHERE pg_has_role(current_user, oid, 'MEMBER') OR pg_has_role(session_user, oid, 'MEMBER'))`;

/**
 * Rights on anything but rows of tables, rights on future tables, functions that run with the rights of another role, and rights
 * on objects of PostgreSQL and its extensions that not everyone has. Predefined roles of monitoring only read statistics.
 * $1 schema of the service, whose functions it may call; $2 those of them that run with the owner's rights; $3 expected settings
 */
const POWERS = `WITH ${HELD}
  SELECT attribute AS power
    FROM held, LATERAL (VALUES (rolsuper, 'SUPERUSER'), (rolcreaterole, 'CREATEROLE'), (rolcreatedb, 'CREATEDB'),
                               (rolreplication, 'REPLICATION'), (rolbypassrls, 'BYPASSRLS')) attributes (is_given, attribute) WHERE is_given
  UNION SELECT 'membership of ' || rolname FROM held
   WHERE rolname IN ('pg_execute_server_program', 'pg_read_server_files', 'pg_write_server_files', 'pg_read_all_data',
                     'pg_write_all_data', 'pg_create_subscription', 'pg_signal_backend', 'pg_maintain')
  UNION SELECT privilege_type || ' on parameter ' || parname FROM pg_parameter_acl, aclexplode(paracl)
   WHERE grantee = 0 OR grantee IN (SELECT oid FROM held)
  UNION SELECT privilege_type || ' on ' || c.oid::regclass FROM pg_class c, aclexplode(relacl), held
   WHERE grantee = held.oid AND rolname !~ '^pg_' AND (relnamespace = 'pg_catalog'::regnamespace OR EXISTS (
     SELECT FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = c.oid AND deptype = 'e'))
  UNION SELECT 'EXECUTE on function ' || p.oid::regprocedure FROM pg_proc p, aclexplode(proacl), held
   WHERE grantee = held.oid AND rolname !~ '^pg_' AND pronamespace <> $1::regnamespace
  UNION SELECT 'EXECUTE on function ' || p.oid::regprocedure || ', which runs as ' || pg_get_userbyid(proowner)
    FROM pg_proc p, held
   WHERE prosecdef AND proowner <> held.oid AND has_function_privilege(held.oid, p.oid, 'EXECUTE')
     AND has_schema_privilege(held.oid, pronamespace, 'USAGE') AND NOT (pronamespace = $1::regnamespace AND proname = ANY ($2))
     AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_proc'::regclass AND objid = p.oid AND deptype = 'e')
  UNION SELECT privilege_type || ' on future tables of ' || pg_get_userbyid(defaclrole) FROM pg_default_acl, aclexplode(defaclacl)
   WHERE defaclobjtype = 'r' AND grantee <> defaclrole AND (grantee = 0 OR grantee IN (SELECT oid FROM held))
  UNION SELECT 'CREATE on database ' || datname FROM pg_database d, held
   WHERE datname = current_database() AND has_database_privilege(held.oid, d.oid, 'CREATE')
  UNION SELECT 'CREATE on schema ' || nspname FROM pg_namespace n, held
   WHERE nspname !~ '^pg_(temp|toast)' AND has_schema_privilege(held.oid, n.oid, 'CREATE')
  UNION SELECT 'ownership of ' || pg_describe_object(classid, objid, objsubid)
    FROM pg_shdepend s JOIN held ON refobjid = held.oid, pg_database d
   WHERE datname = current_database() AND refclassid = 'pg_authid'::regclass AND deptype = 'o'
     AND (dbid = d.oid OR (classid = 'pg_database'::regclass AND objid = d.oid))
     AND NOT EXISTS (SELECT FROM pg_class c WHERE classid = 'pg_class'::regclass AND c.oid = objid AND relpersistence = 't')
  UNION SELECT 'setting ' || name || ' of ' || session_user
    FROM pg_db_role_setting r, unnest(setconfig) given JOIN pg_settings ON name = split_part(given, '=', 1), pg_database d
   WHERE datname = current_database() AND setrole = (SELECT oid FROM pg_roles WHERE rolname = session_user) AND setdatabase IN (0, d.oid)
     AND context = 'user' AND name <> ALL ($3)
  ORDER BY 1`;

/** Rights on tables and views, also on some of their columns. Those of an extension are for everyone. */
const EFFECTIVE_RIGHTS = `WITH ${HELD}, kinds AS (
    -- PostgreSQL 17 adds MAINTAIN
    SELECT privilege_type AS kind FROM aclexplode(acldefault('r', 'pg_monitor'::regrole)))
  SELECT nspname AS schema, relname AS name, relispartition AS "isPartition", array_agg(DISTINCT kind ORDER BY kind) AS rights
    FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace, held, kinds
   WHERE relkind IN ('r', 'p', 'v', 'm', 'f') AND nspname !~ '^pg_' AND nspname <> 'information_schema'
     AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = c.oid AND deptype = 'e')
     AND CASE WHEN kind IN ('SELECT', 'INSERT', 'UPDATE', 'REFERENCES') THEN has_any_column_privilege(held.oid, c.oid, kind)
              ELSE has_table_privilege(held.oid, c.oid, kind) END
   GROUP BY 1, 2, 3 ORDER BY 1, 2`;

/** Rights that a role has been granted on the tables and views of a schema. $1 schema; $2 role */
const GRANTED_RIGHTS = `
  SELECT c.relname AS name, c.relispartition AS "isPartition",
         ARRAY(SELECT privilege_type FROM aclexplode(c.relacl) WHERE grantee = r.oid ORDER BY privilege_type COLLATE "C")
           AS rights
    FROM pg_class c, pg_roles r
   WHERE c.relnamespace = $1::regnamespace AND c.relkind IN ('r', 'p', 'v') AND r.rolname = $2`;

/** A superuser counts as a member of every role. */
async function expectLesserRole(owner: EntityManager, role: string): Promise<void> {
  const statement = `SELECT pg_has_role(oid, current_user, 'MEMBER') AS "isOwner" FROM pg_roles WHERE rolname = $1`;
  const [found] = await owner.query<{ isOwner: boolean }[]>(statement, [role]);
  if (!found) throw new CommandError(`SERVICE_DATABASE_ROLE: PostgreSQL has no role ${role}`);
  if (found.isOwner) throw new CommandError(`SERVICE_DATABASE_ROLE: ${role} has the rights of the owner`);
}
