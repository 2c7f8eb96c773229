/** The error of all further statements of a failed transaction. */
const BEHIND_A_FAILURE = ['25P02', '26000'];

/**
 * Awaits pipelined statements of one transaction: PostgreSQL answers them in one round trip, in order.
 * @throws the error that failed the transaction, after all statements have ended, so that none is sent after the rollback
 */
export async function pipelined<T extends readonly unknown[]>(
  work: readonly [...T],
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  const ended = await Promise.allSettled(work);
  const failures = ended.flatMap((end): unknown[] => (end.status === 'rejected' ? [end.reason] : []));
  if (failures.length > 0) throw failures.find((failure) => !isBehindFailure(failure)) ?? failures[0];
  return Promise.all(work);
}

/** Whether a statement failed only because an earlier one of its transaction had failed. */
function isBehindFailure(error: unknown): boolean {
  return BEHIND_A_FAILURE.includes((error as { code?: string }).code ?? '');
}
