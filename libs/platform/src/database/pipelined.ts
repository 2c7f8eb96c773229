import { isBehindFailure } from './database-errors.js';

/**
 * Waits for statements of one transaction that do not wait for one another: PostgreSQL gets them in one piece, in the order
 * in which they were begun, and answers them in one round trip.
 * @throws what the one has thrown for which all others failed too, once all have ended: nothing may be asked of a
 * transaction that has been rolled back meanwhile
 */
export async function pipelined<T extends readonly unknown[]>(
  work: readonly [...T],
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  const ended = await Promise.allSettled(work);
  const failures = ended.flatMap((end): unknown[] => (end.status === 'rejected' ? [end.reason] : []));
  if (failures.length > 0) throw failures.find((failure) => !isBehindFailure(failure)) ?? failures[0];
  return Promise.all(work);
}
