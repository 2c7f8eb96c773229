import type { DataSource, EntityMetadata, ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import type { PiiCipher } from './pii-cipher.js';

/** A column that holds personal data, encrypted for its row. */
export interface EncryptedColumn {
  readonly entity: EntityMetadata['target'];
  readonly table: string;
  /** Name in the database, without its ending `_encrypted`. */
  readonly column: string;
  readonly property: string;
  /** Property of the primary key, whose value the encryption is bound to. */
  readonly id: string;
}

const ENDING = '_encrypted';

/** Every encrypted column of every domain, by its ending; a key rotation visits them all. */
export function encryptedColumns({ entityMetadatas }: DataSource): EncryptedColumn[] {
  return entityMetadatas
    .flatMap(({ target, tableName, columns, primaryColumns }) =>
      columns
        .filter(({ databaseName }) => databaseName.endsWith(ENDING))
        .map(({ databaseName, propertyName }) => ({
          ...{ entity: target, table: tableName, property: propertyName },
          column: databaseName.slice(0, -ENDING.length),
          id: primaryColumns[0]!.propertyName,
        })),
    )
    .sort((a, b) => (`${a.table}.${a.column}` < `${b.table}.${b.column}` ? -1 : 1));
}

const BATCH = 500;
/** A replica that still writes with the old key could keep the rotation running for ever. */
const MAX_PASSES = 10;

export interface RotatedColumn extends EncryptedColumn {
  readonly rewritten: number;
  /** Values that still need an older key at the end. */
  readonly left: number;
  readonly leftUnder: readonly string[];
}

interface Row {
  readonly id: string;
  readonly sealed: string;
}

/**
 * Re-encrypts every value that does not use the newest key, while the service runs. A value that changed meanwhile is
 * handled in the next pass. Values that no key opens are counted and left unchanged. The rotation can be interrupted
 * and repeated at any time.
 */
export async function rotateKeys(dataSource: DataSource, cipher: PiiCipher): Promise<RotatedColumn[]> {
  const rotated: RotatedColumn[] = [];
  for (const column of encryptedColumns(dataSource)) {
    let rewritten = 0;
    for (let pass = 0; pass < MAX_PASSES; pass++) {
      const inPass = await passThrough(dataSource, cipher, column);
      rewritten += inPass;
      if (inPass === 0) break;
    }
    rotated.push({ ...column, rewritten, ...(await findLeft(dataSource, cipher, column)) });
  }
  return rotated;
}

/** Selects the rows to rewrite: those whose value is not under the newest key. */
function oldRows(
  { manager }: DataSource,
  cipher: PiiCipher,
  { entity, property }: EncryptedColumn,
): SelectQueryBuilder<ObjectLiteral> {
  return manager
    .createQueryBuilder(entity, 't')
    .where(`t.${property} IS NOT NULL AND NOT starts_with(t.${property}, :beginning)`)
    .setParameters({ beginning: `${cipher.activeKeyId}.` });
}

/** In primary key order, so that a row that keeps changing is visited once in each pass. */
async function passThrough(
  dataSource: DataSource,
  cipher: PiiCipher,
  column: EncryptedColumn,
): Promise<number> {
  const { property, id } = column;
  let rewritten = 0;
  for (let last: string | undefined; ;) {
    const batch = oldRows(dataSource, cipher, column)
      .select(`t.${id}`, 'id')
      .addSelect(`t.${property}`, 'sealed')
      .orderBy(`t.${id}`)
      .limit(BATCH);
    if (last !== undefined) batch.andWhere(`t.${id} > :last`, { last });
    const rows = await batch.getRawMany<Row>();
    for (const row of rows) rewritten += await rewrite(dataSource, cipher, column, row);
    if (rows.length < BATCH) return rewritten;
    last = rows.at(-1)!.id;
  }
}

/** @returns the number of changed rows; 0 if no key opens the value or it changed meanwhile */
async function rewrite(
  { manager }: DataSource,
  cipher: PiiCipher,
  { entity, table, column, property, id }: EncryptedColumn,
  row: Row,
): Promise<number> {
  const place = { table, column, id: row.id };
  let plain: string;
  try {
    plain = cipher.decrypt(row.sealed, place);
  } catch {
    return 0;
  }
  const unchanged = { [id]: row.id, [property]: row.sealed };
  const { affected } = await manager.update(entity, unchanged, { [property]: cipher.encrypt(plain, place) });
  return affected ?? 0;
}

async function findLeft(
  dataSource: DataSource,
  cipher: PiiCipher,
  column: EncryptedColumn,
): Promise<Pick<RotatedColumn, 'left' | 'leftUnder'>> {
  const keys = await oldRows(dataSource, cipher, column)
    .select(`split_part(t.${column.property}, '.', 1)`, 'key')
    .addSelect('count(*)::int', 'count')
    .groupBy('key')
    .orderBy('key')
    .getRawMany<{ key: string; count: number }>();
  return { left: keys.reduce((sum, { count }) => sum + count, 0), leftUnder: keys.map(({ key }) => key) };
}
