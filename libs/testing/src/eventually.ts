import { setTimeout as sleep } from 'node:timers/promises';

const LIMIT_MS = 20_000;
const PAUSE_MS = 50;

/** Repeats an assertion until it holds. @throws the last failure after the time limit */
export async function eventually<T>(assertion: () => Promise<T> | T, limitMs = LIMIT_MS): Promise<T> {
  for (const end = Date.now() + limitMs; ;) {
    try {
      return await assertion();
    } catch (error) {
      if (Date.now() > end) throw error;
      await sleep(PAUSE_MS);
    }
  }
}
