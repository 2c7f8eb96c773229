import fc from 'fast-check';
import {
  failureSeconds,
  HAND_OVER_SECONDS,
  LEASE_SECONDS,
  pauseSeconds,
  pollSeconds,
  retrySeconds,
} from './durable-call.js';

const tries = fc.nat(10_000);
const random = fc.double({ min: 0, max: 1, noNaN: true });

describe('pauses of the worker', () => {
  it('lets the pauses between tries grow from seconds to a quarter of an hour', () => {
    fc.assert(
      fc.property(tries, random, (count, chance) => {
        const seconds = retrySeconds(count, chance);
        expect(seconds).toBeGreaterThanOrEqual(5);
        expect(seconds).toBeLessThanOrEqual(900);
      }),
    );
    expect([0, 1, 2, 10].map((count) => retrySeconds(count, 1))).toEqual([10, 20, 40, 900]);
  });

  it.each([1, 0.15])(
    'repeats a failed poll at the pace of polls, from %s seconds, and not at that of failures',
    (first) => {
      fc.assert(
        fc.property(tries, random, (count, chance) => {
          const call = { firstPollSeconds: first };
          const seconds = pauseSeconds(call, { state: 'ACCEPTED', tries: count }, chance);
          expect(seconds).toBeGreaterThanOrEqual(5);
          expect(seconds).toBeLessThanOrEqual(60);
          expect(pauseSeconds(call, { state: 'DUE', tries: count }, chance)).toBe(
            retrySeconds(count, chance),
          );
        }),
      );
    },
  );

  it.each([1, 0.15])('lets the pauses between polls grow from %s seconds to a minute', (first) => {
    fc.assert(
      fc.property(tries, random, (count, chance) => {
        const seconds = pollSeconds(first, count, chance);
        expect(seconds).toBeGreaterThan(0.1);
        expect(seconds).toBeLessThanOrEqual(60);
        expect(pollSeconds(first, count + 1, chance)).toBeGreaterThanOrEqual(seconds);
      }),
    );
  });

  it('lets the pauses between polls grow to the limit of the call', () => {
    expect([0, 5, 10, 100].map((polls) => Math.round(pollSeconds(2, polls, 1, 300)))).toEqual([
      2, 15, 115, 300,
    ]);
  });

  it('lets the pauses of requests after failed polls grow from two seconds to five', () => {
    expect([0, 1, 2, 10_000].map((polls) => failureSeconds(polls, 1))).toEqual([2, 3, 4.5, 5]);
  });

  it('gives a request its full time before the worker takes over', () => {
    // a request is answered within 1.9 seconds
    expect(Math.min(HAND_OVER_SECONDS, LEASE_SECONDS)).toBeGreaterThan(2);
  });
});
