import { type DatabaseDefinition, dataSourceOptions, migrate } from '@fd/platform';
import { DataSource } from 'typeorm';
import { administer, createTestDatabase, type TestDatabase } from './test-stores.config.js';

/**
 * A line for each column with its place, each constraint and each other index. Partitions have those of their table, and entities have
 * no triggers.
 */
const LINES = (schema: string): string => `
  WITH tables AS (
    SELECT oid, relname FROM pg_class
     WHERE relnamespace = '${schema}'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
       AND relname <> 'migrations'
  )
  SELECT concat_ws(' ', relname, row_number() OVER (PARTITION BY attrelid ORDER BY attnum), attname,
           format_type(atttypid, atttypmod), CASE WHEN attnotnull THEN 'NOT NULL' END,
           'DEFAULT ' || pg_get_expr(adbin, adrelid), 'IDENTITY ' || nullif(attidentity::text, '')) AS line
    FROM tables JOIN pg_attribute ON attrelid = tables.oid AND attnum > 0 AND NOT attisdropped
    LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
  UNION ALL SELECT concat_ws(' ', relname, conname, pg_get_constraintdef(c.oid))
    FROM tables JOIN pg_constraint c ON conrelid = tables.oid AND contype IN ('p', 'u', 'f', 'c', 'x')
  UNION ALL SELECT pg_get_indexdef(indexrelid)
    FROM tables JOIN pg_index ON indrelid = tables.oid
   WHERE NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid AND conrelid = indrelid)
   ORDER BY line`;

/** The schema as the migrations make it, and a twin that TypeORM makes from the entities alone. */
export class TwinSchemas {
  private constructor(
    private readonly schema: string,
    private readonly migrated: TestDatabase,
    private readonly twin: TestDatabase,
  ) {}

  static async create(definition: DatabaseDefinition): Promise<TwinSchemas> {
    const [migrated, twin] = [await createTestDatabase(), await createTestDatabase()];
    await migrate(migrated.owner, definition);
    await administer(twin.url, `CREATE SCHEMA ${definition.schema}`);
    const dataSource = new DataSource(dataSourceOptions(twin.owner, definition));
    await dataSource.initialize();
    await dataSource.synchronize();
    await dataSource.destroy();
    return new TwinSchemas(definition.schema, migrated, twin);
  }

  /**
   * Returns the lines of only one schema: `-` of the migrated one, `+` of the twin.
   * @param changes statements that run on the twin before, and are rolled back
   */
  async differences(...changes: string[]): Promise<string[]> {
    const migrated = await this.linesOf(this.migrated);
    const twin = await this.linesOf(this.twin, ...changes);
    return [
      ...migrated.filter((line) => !twin.includes(line)).map((line) => `- ${line}`),
      ...twin.filter((line) => !migrated.includes(line)).map((line) => `+ ${line}`),
    ];
  }

  /** Closing the connection rolls the changes back. */
  private async linesOf({ url }: TestDatabase, ...changes: string[]): Promise<string[]> {
    const rows = await administer(url, 'BEGIN', ...changes, LINES(this.schema));
    return (rows as { line: string }[]).map(({ line }) => line);
  }

  async drop(): Promise<void> {
    await this.migrated.drop();
    await this.twin.drop();
  }
}
