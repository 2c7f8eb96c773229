import { matchNames } from './name-matching.js';
import { LONGEST_NAME } from './reading.js';
import * as words from './words.js';

jest.mock('./words.js', () => {
  const real = jest.requireActual<typeof words>('./words.js');
  return { ...real, toWord: jest.fn(real.toWord) };
});

describe('names of repeated syllables', () => {
  it('derives each part of them once, though the search for compounds asks for it thousands of times', () => {
    const derived = jest.mocked(words.toWord).mock.calls;
    derived.length = 0;
    matchNames('AAAAAAAAAAAAAAA '.repeat(12).trim(), 'AAA AAAB AAAAB '.repeat(14).slice(0, LONGEST_NAME));
    expect(derived.length).toBeGreaterThan(20);
    expect(derived.length).toBeLessThan(LONGEST_NAME);
  });
});
