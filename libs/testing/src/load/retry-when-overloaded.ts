import { setTimeout as sleep } from 'node:timers/promises';
import { GeneralErrors } from '@fd/errors';
import type { Response } from 'supertest';

const MAX_ROUNDS = 5;

/** Pause after the first round; each further one is twice as long: together as long as an open circuit refuses all calls. */
const FIRST_PAUSE_MS = 1_000;

/** Logged by a replica whose Redis call timed out and that counts in memory for a moment. */
const COUNTED_ALONE = 'limits are counted in memory';

/**
 * Plays a round of calls. Repeats it with new subjects while the machine is too busy for the deadlines of the service (503, or
 * limits counted without Redis), because such a round proves nothing.
 * @param replicas the called services: `logs` returns their logs so far
 * @param isOverloaded whether a round proves nothing; by default, whether an answer is 503; a 500 is a bug that the test must see
 */
export async function retryWhenOverloaded<Round extends { readonly answers: readonly Response[] }>(
  replicas: { readonly logs: () => string },
  play: () => Promise<Round>,
  isOverloaded: (round: Round) => boolean = wasRefusedForLoad,
): Promise<Round> {
  const alone = (): number => replicas.logs().split(COUNTED_ALONE).length - 1;
  let before = 0;
  return repeatWhileBusy(
    () => {
      before = alone();
      return play();
    },
    (round) => alone() !== before || isOverloaded(round),
  );
}

/** Repeats a call while the answer is 503, at most five times; only for calls that may be repeated. */
export const callUntilServed = <Answer extends { readonly status: number }>(
  call: () => Promise<Answer>,
): Promise<Answer> => repeatWhileBusy(call, ({ status }) => status === 503);

/** Repeats a call that missed its own deadline while a provider is silent, at most five times; for tests of the provider's 503. */
export const callUntilInTime = <Answer extends { readonly body: unknown }>(
  call: () => Promise<Answer>,
): Promise<Answer> =>
  repeatWhileBusy(call, ({ body }) => JSON.stringify(body).includes(GeneralErrors.unavailable.code));

/**
 * Plays again while the machine was too busy for what the test is about. Each use says in a line why a busy machine
 * has such a result.
 * @param wasBusy whether a result proves nothing
 * @returns the first other result, or the one of the last round
 */
export async function repeatWhileBusy<Result>(
  play: () => Promise<Result>,
  wasBusy: (result: Result) => boolean,
  maxRounds = MAX_ROUNDS,
): Promise<Result> {
  for (let rounds = 1; ; rounds++) {
    const result = await play();
    if (rounds === maxRounds || !wasBusy(result)) return result;
    await sleep(FIRST_PAUSE_MS * 2 ** (rounds - 1));
  }
}

const wasRefusedForLoad = ({ answers }: { readonly answers: readonly Response[] }): boolean =>
  answers.some(({ status }) => status === 503);
