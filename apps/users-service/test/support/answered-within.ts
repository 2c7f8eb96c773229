const MOST_TRIES = 3;

/**
 * Makes a call, and again if its answer comes late, because a busy machine may stand still for a moment.
 * @returns the first answer that comes within so many milliseconds; the test fails if each of three comes later
 */
export async function answeredWithin<T>(limitMs: number, call: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    const startedAt = performance.now();
    const answer = await call();
    const tookMs = performance.now() - startedAt;
    if (tookMs < limitMs) return answer;
    if (tries === MOST_TRIES) expect(tookMs).toBeLessThan(limitMs);
  }
}
