import { remainingMs } from '@fd/envelope';

/** How long a request waits for a provider that takes seconds. */
const WAIT_MS = 1_500;
/** Time that a request keeps for its answer. */
const ANSWER_MS = 300;

/** Milliseconds that the request being served may wait for a provider. */
export const waitMs = (): number => Math.min(WAIT_MS, remainingMs() - ANSWER_MS);

/** What work brings within a time; undefined when it goes on. */
export async function within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => (timer = setTimeout(resolve, ms, undefined)));
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
