import { administer } from './test-stores.config.js';

/** The parts of a schema that a release depends on. */
export interface SchemaShape {
  /** By "table.column". */
  readonly columns: ReadonlyMap<string, Column>;
  /** Constraints and triggers, which may refuse a row or its change: definitions by "table name". */
  readonly rules: ReadonlyMap<string, string>;
}

export interface Column {
  readonly type: string;
  /** Whether a row can be inserted without this column. */
  readonly isOptional: boolean;
}

const COLUMNS = (schema: string): string => `
  SELECT table_name || '.' || column_name AS place,
         concat_ws(' ', data_type, character_maximum_length, numeric_precision, numeric_scale) AS type,
         is_nullable = 'YES' OR column_default IS NOT NULL OR is_identity = 'YES' OR is_generated = 'ALWAYS' AS optional
    FROM information_schema.columns WHERE table_schema = '${schema}' AND table_name <> 'migrations'`;

const RULES = (schema: string): string => `
  SELECT conrelid::regclass || ' ' || conname AS place, pg_get_constraintdef(oid) AS text
    FROM pg_constraint WHERE connamespace = '${schema}'::regnamespace AND conrelid <> 0
      -- the columns show whether one may be omitted
      AND contype <> 'n'
  UNION ALL
  SELECT '${schema}.' || tablename || ' ' || indexname, indexdef
    FROM pg_indexes WHERE schemaname = '${schema}' AND indexdef LIKE 'CREATE UNIQUE%'
  UNION ALL
  SELECT tgrelid::regclass || ' ' || tgname, pg_get_triggerdef(oid)
    FROM pg_trigger WHERE NOT tgisinternal AND tgrelid::regclass::text LIKE '${schema}.%'`;

export async function schemaShape(url: string, schema: string): Promise<SchemaShape> {
  const columns = (await administer(url, COLUMNS(schema))) as {
    place: string;
    type: string;
    optional: boolean;
  }[];
  const rules = (await administer(url, RULES(schema))) as { place: string; text: string }[];
  return {
    columns: new Map(columns.map(({ place, type, optional }) => [place, { type, isOptional: optional }])),
    rules: new Map(rules.map(({ place, text }) => [place.replace(`${schema}.`, ''), text])),
  };
}

/**
 * Returns the changes in AFTER that break the release written for BEFORE, which reads and writes only the columns that it knows.
 * A new constraint of a known table is reported too: a reviewer must decide that it breaks nothing.
 */
export function breaksFormer(before: SchemaShape, after: SchemaShape): string[] {
  const tables = new Set([...before.columns.keys()].map(tableOf));
  const lost = [...before.columns].flatMap(([place, column]) =>
    changeOf(place, column, after.columns.get(place)),
  );
  const added = [...after.columns]
    .filter(
      ([place, { isOptional }]) => tables.has(tableOf(place)) && !before.columns.has(place) && !isOptional,
    )
    .map(([place]) => `${place} must be named by writers that do not know it`);
  const rules = [...after.rules]
    .filter(([place, text]) => tables.has(place.split(' ')[0]!) && before.rules.get(place) !== text)
    .map(([place]) => `${place} may refuse values that were accepted`);
  return [...lost, ...added, ...rules].sort();
}

const tableOf = (place: string): string => place.split('.')[0]!;

function changeOf(place: string, before: Column, after: Column | undefined): string[] {
  if (!after) return [`${place} is gone`];
  if (before.type !== after.type) return [`${place} was ${before.type} and is ${after.type}`];
  return before.isOptional && !after.isOptional ? [`${place} may no longer be left out`] : [];
}
