import { type Database } from '@fd/platform';
import { PII_COLUMNS, type PiiColumn } from './pii-columns.table.js';
import type { PiiCipher } from './pii-cipher.js';

const BATCH = 500;
/** A replica that still writes with the old key could keep the rotation running for ever. */
const MAX_PASSES = 10;

export interface RotatedColumn extends PiiColumn {
  readonly rewritten: number;
  /** Values that still need an older key at the end. */
  readonly left: number;
  /** Ids of the keys of these values. */
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
export async function rotateKeys(database: Database, cipher: PiiCipher): Promise<RotatedColumn[]> {
  const rotated: RotatedColumn[] = [];
  for (const column of PII_COLUMNS) {
    let rewritten = 0;
    for (let pass = 0; pass < MAX_PASSES; pass++) {
      const inPass = await passThrough(database, cipher, column);
      rewritten += inPass;
      if (inPass === 0) break;
    }
    rotated.push({ ...column, rewritten, ...(await findLeft(database, cipher, column)) });
  }
  return rotated;
}

/** Condition of the rows to rewrite; $1 is the prefix of values under the newest key. */
const isOld = (column: string): string =>
  `${column}_encrypted IS NOT NULL AND NOT starts_with(${column}_encrypted, $1)`;

const beginningOf = (cipher: PiiCipher): string => `${cipher.activeKeyId}.`;

/** In primary key order, so that a row that keeps changing is visited once in each pass. */
async function passThrough(database: Database, cipher: PiiCipher, piiColumn: PiiColumn): Promise<number> {
  const { table, column, id } = piiColumn;
  let rewritten = 0;
  for (let last: string | undefined; ;) {
    const rows: Row[] = await database.query<Row[]>(
      `SELECT ${id} AS id, ${column}_encrypted AS sealed FROM onboarding.${table}
        WHERE ${isOld(column)} AND ($2::uuid IS NULL OR ${id} > $2)
        ORDER BY ${id} LIMIT ${BATCH}`,
      [beginningOf(cipher), last],
    );
    for (const row of rows) rewritten += await rewrite(database, cipher, piiColumn, row);
    if (rows.length < BATCH) return rewritten;
    last = rows.at(-1)!.id;
  }
}

/** @returns the number of changed rows; 0 if no key opens the value or it changed meanwhile */
async function rewrite(
  database: Database,
  cipher: PiiCipher,
  { table, column, id }: PiiColumn,
  row: Row,
): Promise<number> {
  const place = { table, column, id: row.id };
  let plain: string;
  try {
    plain = cipher.decrypt(row.sealed, place);
  } catch {
    return 0;
  }
  return database.execute(
    `UPDATE onboarding.${table} SET ${column}_encrypted = $3 WHERE ${id} = $1 AND ${column}_encrypted = $2`,
    [row.id, row.sealed, cipher.encrypt(plain, place)],
  );
}

async function findLeft(
  database: Database,
  cipher: PiiCipher,
  { table, column }: PiiColumn,
): Promise<Pick<RotatedColumn, 'left' | 'leftUnder'>> {
  const rows = await database.query<{ key: string; count: number }[]>(
    `SELECT split_part(${column}_encrypted, '.', 1) AS key, count(*)::int AS count
       FROM onboarding.${table} WHERE ${isOld(column)} GROUP BY 1 ORDER BY 1`,
    [beginningOf(cipher)],
  );
  return { left: rows.reduce((sum, { count }) => sum + count, 0), leftUnder: rows.map(({ key }) => key) };
}
