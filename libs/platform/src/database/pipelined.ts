/**
 * Waits for statements of one transaction that do not wait for one another: PostgreSQL gets them in one piece, in the order
 * in which they were begun, and answers them in one round trip.
 * @throws what the first that failed has thrown, once all have ended: nothing may be asked of a transaction that has been
 * rolled back meanwhile
 */
export async function pipelined<T extends readonly unknown[]>(
  work: readonly [...T],
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  try {
    return await Promise.all(work);
  } finally {
    await Promise.allSettled(work);
  }
}
