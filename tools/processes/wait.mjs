// Waiting for a condition instead of for a time.

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

/**
 * Asks CONDITION (sync or async) every EVERY milliseconds until its answer is truthy and returns that answer,
 * or undefined when it is not within LIMIT milliseconds. What the condition throws ends the wait.
 */
export async function until(condition, { limit, every = 25 }) {
  for (const end = Date.now() + limit; ; await pause(every)) {
    const answer = await condition();
    if (answer) return answer;
    if (Date.now() >= end) return undefined;
  }
}
