import { type Transaction } from '@fd/platform';
import { v7 as uuidv7 } from 'uuid';
import type { OldRows } from '../../core/index.js';

/** A table with a row, with user and time, for each counted event. */
export interface CountedRows {
  readonly table: 'aadhaar_sends' | 'bank_checks' | 'bank_mismatches' | 'locker_sessions' | 'pan_lookups';
  readonly time: 'started_at' | 'created_at';
  /** Maximum of a user's rows within 24 hours. */
  readonly max: number;
}

export const DAY_SECONDS = 86_400;

/**
 * Locks the row of a user until the transaction ends, which serialises the user's calls and makes their count exact on
 * all replicas. $1 user
 */
export const LOCK_USER = 'SELECT FROM onboarding.users WHERE id = $1 FOR NO KEY UPDATE';

/**
 * Selects the `seconds` (at least 1) until the user in $1 may have one more row; no row means now. Runs after
 * LOCK_USER. The transaction may have waited for that lock, so its own now() may be too old.
 * @param counted SQL that selects the rows counted together, if that is not the user
 */
export const fullDay = ({ table, time, max }: CountedRows, counted = 'user_id = $1'): string => `
  SELECT greatest(1, ceil(extract(epoch FROM
           ${time} + make_interval(secs => ${DAY_SECONDS}) - clock_timestamp())))::int AS seconds
    FROM onboarding.${table}
   WHERE ${counted} AND ${time} > clock_timestamp() - make_interval(secs => ${DAY_SECONDS})
   ORDER BY ${time} DESC OFFSET ${max - 1} LIMIT 1`;

/** Locks the user and returns the seconds until they may have one more row; 0: now. */
export async function secondsUntilNext(
  transaction: Transaction,
  rows: CountedRows,
  userId: string,
): Promise<number> {
  await transaction.query(LOCK_USER, [userId]);
  const [full] = await transaction.query<{ seconds: number }[]>(fullDay(rows), [userId]);
  return full?.seconds ?? 0;
}

/** Counts one more row of a user, who is locked by `secondsUntilNext`. Returns its id. */
export async function countRow(
  transaction: Transaction,
  { table, time }: CountedRows,
  userId: string,
): Promise<string> {
  const id = uuidv7();
  await transaction.query(
    `INSERT INTO onboarding.${table} (id, user_id, ${time}) VALUES ($1, $2, clock_timestamp())`,
    [id, userId],
  );
  return id;
}

/** The rows that no longer count. @param name in the log */
export const oldCounted = (name: string, { table, time }: CountedRows): OldRows => ({
  name,
  table,
  where: `${time} <= now() - interval '24 hours'`,
});
