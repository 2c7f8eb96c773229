import { type Database } from '@fd/platform';
import { PII_COLUMNS, type PiiColumn } from './pii-columns.table.js';
import type { PiiCipher } from './pii-cipher.js';

const BATCH = 500;
/** A replica that still writes with the older key could keep us going for ever. */
const MAX_PASSES = 10;

export interface RotatedColumn extends PiiColumn {
  readonly rewritten: number;
  /** Values that are not encrypted with the newest key at the end: the older keys are still needed for them. */
  readonly left: number;
  /** Ids of the keys of those. */
  readonly leftUnder: readonly string[];
}

interface Row {
  readonly id: string;
  readonly sealed: string;
}

/**
 * Encrypts everything anew that is not encrypted with the newest key, while the service goes on: a value that
 * changed in the meantime is met again in the next pass. What no key opens is left alone and counted. It may be
 * ended and begun again at any time.
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

/** The condition of what is to be rewritten; $1 is the beginning of every value of the newest key. */
const isOld = (column: string): string =>
  `${column}_encrypted IS NOT NULL AND NOT starts_with(${column}_encrypted, $1)`;

const beginningOf = (cipher: PiiCipher): string => `${cipher.activeKeyId}.`;

/** By primary key, so that a row that another writer keeps changing is passed once and not met for ever. */
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

/** @returns how many rows were changed; 0 for a value that no key opens, or that changed in the meantime */
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
