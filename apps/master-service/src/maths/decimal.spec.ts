import fc from 'fast-check';
import { expandDecimal, formatExactDecimal, isPlainDecimal, parseDecimal } from './decimal.js';
import { Ratio } from './ratio.js';

describe('parseDecimal', () => {
  it.each([
    ['8.25', 33n, 4n],
    ['0', 0n, 1n],
    ['007.50', 15n, 2n],
    ['0.00000000000000000001', 1n, 10n ** 20n],
  ])('reads %s exactly', (text, numerator, denominator) => {
    expect(parseDecimal(text, 'rate').equals(Ratio.of(numerator, denominator))).toBe(true);
  });

  it.each(['', '.5', '5.', '-1', '+1', '1e3', '1/3', '0.(3)', '1_000', '1,5', ' 8', '8\n', 'NaN', '1234567'])(
    'refuses %j and says what it was for',
    (text) => {
      expect(isPlainDecimal(text)).toBe(false);
      expect(() => parseDecimal(text, 'annual rate')).toThrow(
        /^annual rate must be a plain non-negative decimal/,
      );
    },
  );

  it('refuses what is no text', () => {
    expect(() => parseDecimal(8.5 as unknown as string, 'rate')).toThrow(RangeError);
  });
});

describe('formatExactDecimal', () => {
  it.each([
    ['8.50', '8.5'],
    ['7.00', '7'],
    ['0', '0'],
    ['100', '100'],
    ['0.05', '0.05'],
    ['9.1234', '9.1234'],
  ])('writes %s as %s', (text, written) => {
    expect(formatExactDecimal(parseDecimal(text, 'rate'))).toBe(written);
  });

  it('is read back as the same value', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 10n ** 9n), fc.nat(8), (digits, places) => {
        const value = Ratio.of(digits, 10n ** BigInt(places));
        fc.pre(digits / 10n ** BigInt(places) < 1_000_000n);
        expect(parseDecimal(formatExactDecimal(value), 'value').equals(value)).toBe(true);
      }),
    );
  });

  it('refuses what has no finite decimal, and negatives', () => {
    expect(() => formatExactDecimal(Ratio.of(1, 3))).toThrow(RangeError);
    expect(() => formatExactDecimal(Ratio.of(-1, 2))).toThrow(RangeError);
  });
});

describe('expandDecimal', () => {
  it.each([
    [1, 3, 4, '0.3333…'],
    [1, 2, 4, '0.5'],
    [100, 1, 4, '100'],
    [22, 7, 2, '3.14…'],
    [0, 5, 2, '0'],
  ])('writes %i/%i to %i places as %s', (numerator, denominator, places, text) => {
    expect(expandDecimal(Ratio.of(numerator, denominator), places)).toBe(text);
  });
});
