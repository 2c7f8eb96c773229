import type { QueryRunner } from 'typeorm';

// Steps by which a table of a running release gets partitions; released migrations call them: they never change.

/**
 * Adds a check on the key that covers existing rows and those of this and the next month, so that the table can become the first
 * partition without a scan. All writes satisfy it: keys are the current time, or ids that begin with it.
 */
export async function boundFormerRows(runner: QueryRunner, table: string, key: string): Promise<void> {
  const [{ time, id }] = (await runner.query(
    `SELECT to_char(at, 'YYYY-MM-DD') || 'T00:00:00Z' AS time,
            substr(hex, 1, 8) || '-' || substr(hex, 9) || '-0000-0000-000000000000' AS id
       FROM (SELECT date_trunc('month', now() AT TIME ZONE 'UTC') + interval '2 months' AS at) times,
            lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') AS hex`,
  )) as [{ time: string; id: string }];
  await runner.query(
    `ALTER TABLE onboarding.${table} ADD CONSTRAINT ck_${table}__former CHECK (${key} < '${key === 'id' ? id : time}')
       NOT VALID`,
  );
}

/** Reads the table once, while it is read and written. */
export async function validateFormerRows(runner: QueryRunner, table: string): Promise<void> {
  await runner.query(`ALTER TABLE onboarding.${table} VALIDATE CONSTRAINT ck_${table}__former`);
}

/**
 * Replaces a table by a partitioned one. The former table becomes its first partition, or is dropped if it is empty. No rows
 * are copied, so requests are blocked only for moments. Each partition has the same keys and indexes as the default partition,
 * which takes the rows that fit into no other.
 */
export async function partition(runner: QueryRunner, table: string, key: string): Promise<void> {
  const [former, rest] = [`${table}_former`, `${table}_default`];
  await runner.query(`LOCK TABLE onboarding.${table} IN ACCESS EXCLUSIVE MODE`);
  const bound = await boundOf(runner, table);
  await runner.query(`ALTER TABLE onboarding.${table} RENAME TO ${former}`);
  for (const { name } of await keysOf(runner, former))
    await runner.query(`ALTER INDEX onboarding.${name} RENAME TO ${name.replace(table, former)}`);
  await runner.query(
    `CREATE TABLE onboarding.${table} (LIKE onboarding.${former} INCLUDING DEFAULTS INCLUDING CONSTRAINTS)
       PARTITION BY RANGE (${key})`,
  );
  await runner.query(`ALTER TABLE onboarding.${table} DROP CONSTRAINT ck_${table}__former`);
  await runner.query(
    `CREATE TABLE onboarding.${rest} (LIKE onboarding.${table} INCLUDING DEFAULTS INCLUDING CONSTRAINTS)`,
  );
  await copyKeys(runner, former, rest);
  await copyRules(runner, former, table);
  for (const { name, isOfRows, definition } of await triggersOf(runner, former)) {
    // ATTACH adds the row triggers
    if (isOfRows) await runner.query(`DROP TRIGGER ${name} ON onboarding.${former}`);
    else await runner.query(definition.replace(`.${former} `, `.${rest} `));
  }
  await runner.query(`ALTER TABLE onboarding.${table} ATTACH PARTITION onboarding.${rest} DEFAULT`);
  const rows = (await runner.query(`SELECT 1 FROM onboarding.${former} LIMIT 1`)) as unknown[];
  if (rows.length === 0) await runner.query(`DROP TABLE onboarding.${former}`);
  else
    await runner.query(
      `ALTER TABLE onboarding.${table} ATTACH PARTITION onboarding.${former} FOR VALUES FROM (MINVALUE) TO ('${bound}')`,
    );
}

/** Puts all rows into one table again. */
export async function unite(runner: QueryRunner, table: string): Promise<void> {
  const parted = `${table}_parted`;
  await runner.query(`ALTER TABLE onboarding.${table} RENAME TO ${parted}`);
  await runner.query(
    `CREATE TABLE onboarding.${table} (LIKE onboarding.${parted} INCLUDING DEFAULTS INCLUDING CONSTRAINTS)`,
  );
  await runner.query(`INSERT INTO onboarding.${table} SELECT * FROM onboarding.${parted}`);
  await copyKeys(runner, `${table}_default`, table);
  await copyRules(runner, parted, table);
  await runner.query(`DROP TABLE onboarding.${parted}`);
}

async function boundOf(runner: QueryRunner, table: string): Promise<string> {
  const [{ bound }] = (await runner.query(
    `SELECT substring(pg_get_constraintdef(oid) FROM '''([^'']+)''') AS bound FROM pg_constraint
      WHERE conrelid = 'onboarding.${table}'::regclass AND conname = 'ck_${table}__former'`,
  )) as [{ bound: string }];
  return bound;
}

interface Key {
  readonly name: string;
  readonly index: string;
  /** Undefined for an index that belongs to no constraint. */
  readonly constraint: string | null;
}

async function keysOf(runner: QueryRunner, table: string): Promise<Key[]> {
  return (await runner.query(
    `SELECT c.relname AS name, pg_get_indexdef(i.indexrelid) AS index, pg_get_constraintdef(k.oid) AS constraint
       FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
       LEFT JOIN pg_constraint k ON k.conindid = i.indexrelid AND k.conrelid = i.indrelid AND k.contype IN ('p', 'u')
      WHERE i.indrelid = 'onboarding.${table}'::regclass ORDER BY c.relname`,
  )) as Key[];
}

async function copyKeys(runner: QueryRunner, from: string, to: string): Promise<void> {
  for (const { name, index, constraint } of await keysOf(runner, from)) {
    await runner.query(
      constraint === null
        ? index.replaceAll(from, to)
        : `ALTER TABLE onboarding.${to} ADD CONSTRAINT ${name.replace(from, to)} ${constraint}`,
    );
  }
}

interface Trigger {
  readonly name: string;
  readonly definition: string;
  readonly isOfRows: boolean;
}

async function triggersOf(runner: QueryRunner, table: string): Promise<Trigger[]> {
  return (await runner.query(
    `SELECT tgname AS name, pg_get_triggerdef(oid) AS definition, tgtype::int & 1 = 1 AS "isOfRows" FROM pg_trigger
      WHERE tgrelid = 'onboarding.${table}'::regclass AND NOT tgisinternal ORDER BY tgname`,
  )) as Trigger[];
}

/** Foreign keys and triggers. */
async function copyRules(runner: QueryRunner, from: string, to: string): Promise<void> {
  const foreignKeys = (await runner.query(
    `SELECT conname AS name, pg_get_constraintdef(oid) AS definition FROM pg_constraint
      WHERE conrelid = 'onboarding.${from}'::regclass AND contype = 'f' ORDER BY conname`,
  )) as { name: string; definition: string }[];
  for (const { name, definition } of foreignKeys)
    await runner.query(`ALTER TABLE onboarding.${to} ADD CONSTRAINT ${name} ${definition}`);
  for (const { definition } of await triggersOf(runner, from))
    await runner.query(definition.replace(`.${from} `, `.${to} `));
}
