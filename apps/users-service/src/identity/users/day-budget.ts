import { type Transaction } from '@fd/platform';

/** A table that has a row, with the user and the time, of everything that is counted. */
export interface CountedRows {
  readonly table: 'aadhaar_sends' | 'bank_checks' | 'locker_sessions';
  readonly time: 'started_at' | 'created_at';
  /** Rows that one user may have of any 24 hours. */
  readonly max: number;
}

export const DAY_SECONDS = 86_400;

/**
 * Seconds until a user may have one more row; 0: now. Holds the row of the user until the transaction ends, so that
 * calls of one user follow one another, and the count is exact on any number of replicas. The clock is PostgreSQL's.
 */
export async function secondsUntilNext(
  transaction: Transaction,
  { table, time, max }: CountedRows,
  userId: string,
): Promise<number> {
  await transaction.query('SELECT 1 FROM onboarding.users WHERE id = $1 FOR NO KEY UPDATE', [userId]);
  // the transaction may have waited for the lock: its own now() is older than what it waited for
  const [inTheWay] = await transaction.query<{ wait_seconds: number }[]>(
    `SELECT ceil(extract(epoch FROM ${time} + make_interval(secs => $2) - clock_timestamp()))::int AS wait_seconds
       FROM onboarding.${table}
      WHERE user_id = $1 AND ${time} > clock_timestamp() - make_interval(secs => $2)
      ORDER BY ${time} DESC OFFSET $3 - 1 LIMIT 1`,
    [userId, DAY_SECONDS, max],
  );
  return inTheWay ? Math.max(1, inTheWay.wait_seconds) : 0;
}
