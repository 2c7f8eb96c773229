import type { EntityManager } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import type { OldRows } from '../../core/index.js';
import { LOCK_USER } from './users.queries.js';

/** A row, with user and time, for each counted event. */
interface CountedRow {
  readonly id: string;
  readonly userId: string;
}

export interface CountedRows {
  readonly entity: new () => CountedRow;
  readonly time: 'startedAt' | 'createdAt' | 'givenAt';
  /** Maximum of a user's rows within 24 hours. */
  readonly max: number;
}

/** Constant, so that the planner knows how few rows are so young. */
const DAY = "interval '24 hours'";

/**
 * Seconds, at least 1, until one more row may be counted together with those of these values; 0: now. The caller holds a lock that
 * serialises them, for which the transaction may have waited, so its own now() may be too old.
 */
export async function secondsOfFullDay(
  tx: EntityManager,
  { entity, time, max }: CountedRows,
  of: Readonly<Record<string, unknown>>,
): Promise<number> {
  const full = await tx
    .createQueryBuilder(entity, 't')
    .select(`greatest(1, ceil(extract(epoch FROM t.${time} + ${DAY} - clock_timestamp())))::int`, 'seconds')
    .where(of)
    .andWhere(`t.${time} > clock_timestamp() - ${DAY}`)
    .orderBy(`t.${time}`, 'DESC')
    .offset(max - 1)
    .limit(1)
    .getRawOne<{ seconds: number }>();
  return full?.seconds ?? 0;
}

/**
 * Locks the user, which makes the count exact on all replicas, and returns the seconds until they may have one more row; 0: now.
 * @param kind values of the rows that count together
 */
export async function secondsUntilNext(
  tx: EntityManager,
  rows: CountedRows,
  userId: string,
  kind: Readonly<Record<string, unknown>> = {},
): Promise<number> {
  await LOCK_USER.rows(tx, { userId });
  return secondsOfFullDay(tx, rows, { userId, ...kind });
}

/** Counts one more row of a user, who is locked by `secondsUntilNext`. Returns its id. */
export async function countRow(
  tx: EntityManager,
  { entity, time }: CountedRows,
  userId: string,
  kind: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const id = uuidv7();
  await tx.insert(entity, { id, userId, ...kind, [time]: () => 'clock_timestamp()' });
  return id;
}

/** The rows that no longer count. @param name in the log */
export const oldCounted = (name: string, { entity, time }: CountedRows): OldRows => ({
  name,
  entity,
  select: (rows) => rows.where(`t.${time} <= now() - ${DAY}`),
});
