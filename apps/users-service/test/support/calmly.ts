import type { ReplicaSet } from '@fd/testing';
import type { Response } from 'supertest';

const MAX_ROUNDS = 5;

/** What a replica logs when it has waited for Redis in vain, and counts by itself for a moment. */
const COUNTED_ALONE = 'limits are counted in memory';

/**
 * Plays a round of parallel calls, and another one on fresh subjects as long as the machine was too busy for the
 * deadlines of the service (503): such a round says nothing about what the calls were counted as.
 */
export async function calmly<Round extends { readonly answers: readonly Response[] }>(
  replicas: ReplicaSet,
  play: () => Promise<Round>,
): Promise<Round> {
  const alone = (): number =>
    replicas.running.reduce((sum, { log }) => sum + log().split(COUNTED_ALONE).length - 1, 0);
  for (let rounds = 1; ; rounds++) {
    const before = alone();
    const round = await play();
    const isCalm = alone() === before && round.answers.every(({ status }) => status < 500);
    if (isCalm || rounds === MAX_ROUNDS) return round;
  }
}
