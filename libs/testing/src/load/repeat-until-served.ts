import { setTimeout as sleep } from 'node:timers/promises';
import { HAS_GENEROUS_LIMITS } from '../generous-limits.config.js';

const MAX_CALLS = 5;

/** Pause after the first call; each further one is twice as long: together as long as an open circuit refuses all calls. */
const FIRST_PAUSE_MS = 1_000;

/**
 * Repeats a call while the answer is 503, as the contract asks clients to do, at most five times. For the steps that
 * prepare a test whose services keep the limits of production: there a busy machine, a store that is down or a killed
 * process answers 503, and the test is about what comes next. With generous limits it calls once.
 */
export async function repeatUntilServed<Answer extends { readonly status: number }>(
  call: () => Promise<Answer>,
): Promise<Answer> {
  for (let calls = 1; ; calls++) {
    const answer = await call();
    if (answer.status !== 503 || calls === MAX_CALLS || HAS_GENEROUS_LIMITS) return answer;
    await sleep(FIRST_PAUSE_MS * 2 ** (calls - 1));
  }
}
