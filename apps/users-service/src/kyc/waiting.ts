import { remainingMs } from '@fd/envelope';

/** Time for which a request waits for a slow provider. */
const WAIT_MS = 1_500;
/** Time reserved for the answer. */
const ANSWER_MS = 300;

/** Milliseconds for which the current request may wait for a provider. */
export const waitMs = (): number => Math.min(WAIT_MS, remainingMs() - ANSWER_MS);

/** The result of work within a time; undefined if it takes longer. */
export async function within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => (timer = setTimeout(resolve, ms, undefined)));
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
