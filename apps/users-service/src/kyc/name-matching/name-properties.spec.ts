import fc from 'fast-check';
import { isSameName, matchNames } from './name-matching.js';
import { LONGEST_NAME, hasLetter, isTooLong, readName } from './reading.js';
import { NAME_MATCH_BANDS, NAME_MATCH_REASONS, REVIEW_SCORE, STRONG_SCORE, bandOf } from './scoring.js';

const GIVEN = [
  'Asha',
  'Ramesh',
  'Krishnamurthy',
  'Lakshmi',
  'Mohd',
  'Om',
  'Sri',
  'Kumari',
  'D',
  'Shiva',
  'Priyanka',
];
const SURNAMES = ['Rao', 'Iyer', 'Chowdhury', "D'Souza", 'Kumar', 'Singh', 'Zala', 'K', 'Fernandes'];
const TITLES = ['Mr', 'Mrs.', 'SMT', 'Shri', 'Dr.', 'Prof', 'Late', 'Ms', 'Km.', 'Dr. Mrs'];

const words = fc
  .tuple(
    fc.uniqueArray(fc.constantFrom(...GIVEN), { minLength: 1, maxLength: 3 }),
    fc.uniqueArray(fc.constantFrom(...SURNAMES), { minLength: 1, maxLength: 2 }),
  )
  .map(([given, surnames]) => [...given, ...surnames]);
const names = words.map((parts) => parts.join(' '));
/** Anything at all, lone surrogates too. */
const texts = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.string({
    unit: fc.constantFrom(
      '\ud800',
      '\udc00',
      '\u0301',
      '\u200d',
      '\ufe7e',
      'ʼ',
      'ﷺ',
      'ß',
      'İ',
      ' ',
      '.',
      'a',
      'अ',
      '/',
    ),
  }),
);
const readable = texts.filter((text) => hasLetter(text) && !isTooLong(`${text} `));

describe('any two names', () => {
  it('returns a whole score from 0 to 100 with its band and known reasons in order', () => {
    fc.assert(
      fc.property(fc.oneof(names, texts), fc.oneof(names, texts), (a, b) => {
        const { score, band, reasons } = matchNames(a, b);
        expect(Number.isInteger(score) && score >= 0 && score <= 100).toBe(true);
        expect(NAME_MATCH_BANDS).toContain(band);
        expect(band).toBe(bandOf(score));
        expect(reasons).toEqual(NAME_MATCH_REASONS.filter((reason) => reasons.includes(reason)));
      }),
    );
  });

  it('returns the same for swapped names', () => {
    fc.assert(
      fc.property(fc.oneof(names, texts), fc.oneof(names, texts), (a, b) => {
        expect(matchNames(a, b)).toEqual(matchNames(b, a));
        expect(isSameName(a, b)).toBe(isSameName(b, a));
      }),
      { numRuns: 500 },
    );
  });

  it('gives a reason for every non-exact match', () => {
    fc.assert(
      fc.property(names, names, (a, b) => {
        const match = matchNames(a, b);
        expect(match.score === 100 || match.reasons.length > 0).toBe(true);
      }),
    );
  });
});

describe('a name and itself', () => {
  it('matches a name exactly with itself, and with an additional space', () => {
    fc.assert(
      fc.property(fc.oneof(names, readable), (name) => {
        expect(matchNames(name, name)).toEqual({ score: 100, band: 'EXACT', reasons: [] });
        expect(matchNames(name, `${name} `)).toEqual({ score: 100, band: 'EXACT', reasons: [] });
        expect(isSameName(name, name)).toBe(true);
      }),
    );
  });

  it('matches a name exactly in any case and spacing', () => {
    fc.assert(
      fc.property(
        words,
        fc.array(fc.constantFrom(' ', '  ', '. ', ', ', ' - ', '\t'), { minLength: 5 }),
        (parts, gaps) => {
          const name = parts.join(' ');
          const spaced = parts.map((part, index) => `${part}${gaps[index] ?? ''}`).join('');
          for (const other of [name.toUpperCase(), name.toLowerCase(), ` ${spaced}`, spaced.toUpperCase()]) {
            expect(matchNames(name, other)).toEqual({ score: 100, band: 'EXACT', reasons: [] });
          }
        },
      ),
    );
  });

  it('passes a name without its spaces if no word is an initial', () => {
    fc.assert(
      fc.property(
        words.filter((parts) => parts.every((part) => part.length > 1)),
        (parts) => {
          expect(matchNames(parts.join(' '), parts.join('')).score).toBeGreaterThanOrEqual(STRONG_SCORE);
        },
      ),
    );
  });

  it('passes a name in any order, perhaps with a review', () => {
    const shuffled = words.chain((parts) =>
      fc.tuple(fc.constant(parts), fc.shuffledSubarray(parts, { minLength: parts.length })),
    );
    fc.assert(
      fc.property(shuffled, ([parts, others]) => {
        expect(matchNames(parts.join(' '), others.join(' ')).score).toBeGreaterThanOrEqual(REVIEW_SCORE);
      }),
    );
  });

  it('passes a name with a title in front, perhaps with a review', () => {
    fc.assert(
      fc.property(names, fc.constantFrom(...TITLES), (name, title) => {
        const { score, reasons } = matchNames(name, `${title} ${name}`);
        expect(score).toBeGreaterThanOrEqual(REVIEW_SCORE);
        expect(reasons.every((reason) => reason.startsWith('HONORIFIC'))).toBe(true);
      }),
    );
  });

  it('passes a name in its normal form', () => {
    fc.assert(
      fc.property(names, (name) => {
        const { text } = readName(name).readings[0]!;
        expect(text).toMatch(/^[a-z]+( [a-z]+)*$/);
        expect(matchNames(name, text).score).toBeGreaterThanOrEqual(STRONG_SCORE);
      }),
    );
  });
});

describe('a text longer than any name', () => {
  it('matches a text longer than any name only with itself', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: LONGEST_NAME + 1, max: 5_000 }),
        fc.constantFrom('a', 'a ', 'अ', 'ﷺ ', '𝒜'),
        (n, unit) => {
          const text = unit.repeat(n);
          expect(matchNames(text, `${text} `)).toEqual({
            score: 0,
            band: 'MISMATCH',
            reasons: ['NAME_TOO_LONG'],
          });
          expect(matchNames(text, text).score).toBe(100);
        },
      ),
      { numRuns: 50 },
    );
  });

  it('compares names up to the maximum length', () => {
    const longest = `${'a b '.repeat(LONGEST_NAME / 4 - 1)}asha`;
    expect(longest).toHaveLength(LONGEST_NAME);
    expect(matchNames(longest, longest.toUpperCase()).score).toBe(100);
    expect(matchNames(longest, `${longest}h`).reasons).toEqual(['NAME_TOO_LONG']);
    // one character that Unicode decomposes into a phrase
    expect(matchNames('ﷺ'.repeat(50), 'Asha').reasons).toEqual(['NAME_TOO_LONG']);
  });
});
