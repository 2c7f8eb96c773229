import { acceptedStrangers, GIVEN_NAMES, SURNAMES } from '../../../test/support/similar-names.js';
import { REVIEW_SCORE, type NameMatch } from './scoring.js';
import { matchNames } from './name-matching.js';

const isAccepted = (match: NameMatch): boolean => match.score >= REVIEW_SCORE;

function pairsOf<T>(items: readonly T[]): (readonly [T, T])[] {
  return items.flatMap((one, index) => items.slice(index + 1).map((other) => [one, other] as const));
}

const acceptedBy = (pairs: Iterable<readonly [string, string]>): string[] =>
  [...pairs].filter(([a, b]) => isAccepted(matchNames(a, b))).map((pair) => pair.join(' | '));

describe('names of different people', () => {
  it('are refused with another given name and the same surname', () => {
    const pairs = pairsOf(GIVEN_NAMES).flatMap(([x, y]) =>
      SURNAMES.map((surname) => [`${x} ${surname}`, `${y} ${surname}`] as const),
    );
    expect(acceptedBy(pairs)).toEqual([]);
  });

  it('are refused with the same given name and another surname', () => {
    const pairs = pairsOf(SURNAMES).flatMap(([x, y]) =>
      GIVEN_NAMES.map((given) => [`${given} ${x}`, `${given} ${y}`] as const),
    );
    expect(acceptedBy(pairs)).toEqual([]);
  });

  it('are refused with another given name and another surname, in a sample of all pairs', () => {
    const sample = GIVEN_NAMES.filter((_, index) => index % 10 === 0);
    expect(acceptedStrangers(sample, SURNAMES)).toEqual([]);
  });
});
