import { setTimeout as sleep } from 'node:timers/promises';
import type { Response } from 'supertest';
import { retryWhenOverloaded } from './retry-when-overloaded.js';

jest.mock('node:timers/promises', () => ({ setTimeout: jest.fn() }));

const replicas = { logs: () => '' };
const rounds = (...statuses: readonly number[]) => {
  const waiting = [...statuses];
  return () => Promise.resolve({ answers: [{ status: waiting.shift() } as Response] });
};

describe('retryWhenOverloaded', () => {
  it.each([
    ['repeats a round that got 503', [503, 200], 200],
    ['returns a round that got 500 at once', [500, 200], 500],
    ['returns the fifth round although it got 503', [503, 503, 503, 503, 503, 200], 503],
  ])('%s', async (_title, statuses, returned) => {
    const { answers } = await retryWhenOverloaded(replicas, rounds(...statuses));
    expect(answers.map(({ status }) => status)).toEqual([returned]);
  });

  it('pauses twice as long after each round, as long as an open circuit in all', async () => {
    jest.mocked(sleep).mockClear();
    await retryWhenOverloaded(replicas, rounds(503, 503, 503, 503, 503));
    expect(jest.mocked(sleep).mock.calls).toEqual([[1_000], [2_000], [4_000], [8_000]]);
  });
});
