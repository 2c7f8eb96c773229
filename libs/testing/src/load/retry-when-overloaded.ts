import type { Response } from 'supertest';

const MAX_ROUNDS = 5;

/** What a replica logs when it has waited for Redis in vain, and counts by itself for a moment. */
const COUNTED_ALONE = 'limits are counted in memory';

/**
 * Plays a round of calls, and another one on fresh subjects as long as the machine was too busy for the deadlines of
 * the service (503, or limits counted without Redis): such a round says nothing about what the calls were counted as.
 * @param replicas who is called: `logs` is all that they have logged so far
 * @param isOverloaded whether a round says nothing; by default, whether an answer is a server error
 */
export async function retryWhenOverloaded<Round extends { readonly answers: readonly Response[] }>(
  replicas: { readonly logs: () => string },
  play: () => Promise<Round>,
  isOverloaded: (round: Round) => boolean = hasServerError,
): Promise<Round> {
  const alone = (): number => replicas.logs().split(COUNTED_ALONE).length - 1;
  for (let rounds = 1; ; rounds++) {
    const before = alone();
    const round = await play();
    const isCalm = alone() === before && !isOverloaded(round);
    if (isCalm || rounds === MAX_ROUNDS) return round;
  }
}

/** Makes one call, again while the answer is 503: for calls that only lead to what is tested, and may be repeated. */
export async function callUntilServed<Answer extends { readonly status: number }>(
  call: () => Promise<Answer>,
): Promise<Answer> {
  for (let calls = 1; ; calls++) {
    const answer = await call();
    if (answer.status !== 503 || calls === MAX_ROUNDS) return answer;
  }
}

const hasServerError = ({ answers }: { readonly answers: readonly Response[] }): boolean =>
  answers.some(({ status }) => status >= 500);
