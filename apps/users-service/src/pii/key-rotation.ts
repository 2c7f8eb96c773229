import type { DataSource } from 'typeorm';
import { PII_COLUMNS, type PiiColumn } from './pii-columns.table.js';
import type { PiiCipher } from './pii-cipher.js';

const BATCH = 500;

export interface RotatedColumn extends PiiColumn {
  readonly rewritten: number;
}

interface Row {
  readonly id: string;
  readonly sealed: string;
}

/**
 * Encrypts everything anew that is not encrypted with the newest key, while the service goes on: a value that
 * changed in the meantime is left to whoever changed it, since replicas write with the newest key already.
 * It may be ended and begun again at any time.
 */
export async function rotateKeys(dataSource: DataSource, cipher: PiiCipher): Promise<RotatedColumn[]> {
  const rotated: RotatedColumn[] = [];
  for (const column of PII_COLUMNS) {
    rotated.push({ ...column, rewritten: await rotateColumn(dataSource, cipher, column) });
  }
  return rotated;
}

async function rotateColumn(dataSource: DataSource, cipher: PiiCipher, column: PiiColumn): Promise<number> {
  let rewritten = 0;
  // by primary key, so that a row that another writer keeps changing is passed once and not met for ever
  for (let last: string | null = null; ;) {
    const rows: Row[] = await nextRows(dataSource, cipher, column, last);
    for (const row of rows) rewritten += await rewrite(dataSource, cipher, column, row);
    if (rows.length < BATCH) return rewritten;
    last = rows.at(-1)!.id;
  }
}

async function nextRows(
  dataSource: DataSource,
  cipher: PiiCipher,
  { table, column, id }: PiiColumn,
  after: string | null,
): Promise<Row[]> {
  return dataSource.query<Row[]>(
    `SELECT ${id} AS id, ${column}_encrypted AS sealed FROM onboarding.${table}
      WHERE ($1::uuid IS NULL OR ${id} > $1) AND ${column}_encrypted IS NOT NULL
        AND NOT starts_with(${column}_encrypted, $2)
      ORDER BY ${id} LIMIT ${BATCH}`,
    [after, `${cipher.activeKeyId}.`],
  );
}

async function rewrite(
  dataSource: DataSource,
  cipher: PiiCipher,
  { table, column, id }: PiiColumn,
  row: Row,
): Promise<number> {
  const place = { table, column, id: row.id };
  const sealed = cipher.encrypt(cipher.decrypt(row.sealed, place), place);
  const [, count] = await dataSource.query<[unknown, number]>(
    `UPDATE onboarding.${table} SET ${column}_encrypted = $3 WHERE ${id} = $1 AND ${column}_encrypted = $2`,
    [row.id, row.sealed, sealed],
  );
  return count;
}
