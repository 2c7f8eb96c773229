import { setTimeout as sleep } from 'node:timers/promises';

const LIMIT_MS = 45_000;
const SHORTEST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 250;

/**
 * Repeats an assertion until it holds, after pauses that grow with the time waited: most assertions call the service.
 * @throws the last failure after the time limit
 */
export async function eventually<T>(assertion: () => Promise<T> | T, limitMs = LIMIT_MS): Promise<T> {
  for (const begun = Date.now(); ;) {
    try {
      return await assertion();
    } catch (error) {
      const waitedMs = Date.now() - begun;
      if (waitedMs > limitMs) throw error;
      await sleep(Math.min(Math.max(waitedMs / 4, SHORTEST_PAUSE_MS), LONGEST_PAUSE_MS));
    }
  }
}
