import fc from 'fast-check';
import { Fraction } from 'fraction.js';
import {
  expandDecimal,
  formatExactDecimal,
  isPlainDecimal,
  parseDecimal,
  Ratio,
  ROUNDING_MODES,
  type RoundingMode,
  roundToPaise,
  roundToUnits,
} from './ratio.js';

const parts = fc.tuple(fc.bigInt(-(10n ** 24n), 10n ** 24n), fc.bigInt(1n, 10n ** 24n));

function same(ratio: Ratio, fraction: Fraction): boolean {
  return ratio.numerator * fraction.d === fraction.s * fraction.n * ratio.denominator;
}

describe('Ratio', () => {
  it('computes like fraction.js', () => {
    fc.assert(
      fc.property(parts, parts, fc.nat(12), ([a, b], [c, d], exponent) => {
        const left = Ratio.of(a, b);
        const right = Ratio.of(c, d);
        const expectedLeft = new Fraction(a, b);
        const expectedRight = new Fraction(c, d);
        expect(same(left.plus(right), expectedLeft.add(expectedRight))).toBe(true);
        expect(same(left.minus(right), expectedLeft.sub(expectedRight))).toBe(true);
        expect(same(left.times(right), expectedLeft.mul(expectedRight))).toBe(true);
        expect(same(left.power(exponent), expectedLeft.pow(exponent))).toBe(true);
        expect(left.compare(right)).toBe(expectedLeft.compare(expectedRight));
        fc.pre(c !== 0n);
        expect(same(left.dividedBy(right), expectedLeft.div(expectedRight))).toBe(true);
        expect(left.dividedBy(right).denominator > 0n).toBe(true);
      }),
    );
  });

  it('keeps the common denominator of a sum', () => {
    const sum = Ratio.of(1, 12).plus(Ratio.of(1, 12)).plus(Ratio.of(1, 3));
    expect([sum.numerator, sum.denominator]).toEqual([6n, 12n]);
  });

  it('considers equal values in different terms equal', () => {
    expect(Ratio.of(2, 4).equals(Ratio.of(-3, -6))).toBe(true);
    expect(Ratio.of(2, 4).equals(Ratio.of(3, 7))).toBe(false);
    expect(Ratio.of(0, 7).isZero()).toBe(true);
    expect(Ratio.of(1, 7).isZero()).toBe(false);
  });

  it('refuses a zero denominator, a zero divisor and fractional numbers', () => {
    expect(() => Ratio.of(1, 0)).toThrow(RangeError);
    expect(() => Ratio.ONE.dividedBy(Ratio.ZERO)).toThrow(RangeError);
    expect(() => Ratio.of(0.5)).toThrow(RangeError);
    expect(() => Ratio.ONE.power(-1)).toThrow(RangeError);
  });
});

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
    'refuses %j and names the value',
    (text) => {
      expect(isPlainDecimal(text)).toBe(false);
      expect(() => parseDecimal(text, 'annual rate')).toThrow(
        /^annual rate must be a plain non-negative decimal/,
      );
    },
  );

  it('refuses a number', () => {
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

  it('returns a text that parses to the same value', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 10n ** 9n), fc.nat(8), (digits, places) => {
        const value = Ratio.of(digits, 10n ** BigInt(places));
        fc.pre(digits / 10n ** BigInt(places) < 1_000_000n);
        expect(parseDecimal(formatExactDecimal(value), 'value').equals(value)).toBe(true);
      }),
    );
  });

  it('refuses negatives and values without a finite decimal', () => {
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

describe('roundToUnits', () => {
  // value, places, then the result of each mode in the order half-up, floor, ceil, half-even
  it.each([
    ['0', 2, [0n, 0n, 0n, 0n]],
    ['1.23', 2, [123n, 123n, 123n, 123n]],
    ['0.004', 2, [0n, 0n, 1n, 0n]],
    ['0.005', 2, [1n, 0n, 1n, 0n]],
    ['0.006', 2, [1n, 0n, 1n, 1n]],
    ['0.015', 2, [2n, 1n, 2n, 2n]],
    ['0.505', 2, [51n, 50n, 51n, 50n]],
    ['0.50500000000000000001', 2, [51n, 50n, 51n, 51n]],
    ['0.50499999999999999999', 2, [50n, 50n, 51n, 50n]],
    ['2.5', 0, [3n, 2n, 3n, 2n]],
    ['3.5', 0, [4n, 3n, 4n, 4n]],
    ['0.4999', 0, [0n, 0n, 1n, 0n]],
  ])('rounds %s to %i places', (text, places, expected) => {
    const value = parseDecimal(text, 'value');
    expect(ROUNDING_MODES).toEqual(['half-up', 'floor', 'ceil', 'half-even']);
    expect(ROUNDING_MODES.map((mode) => roundToUnits(value, places, mode))).toEqual(expected);
  });

  it('stays within one unit, and within half a unit for the half modes', () => {
    const values = fc.tuple(fc.bigInt(0n, 10n ** 30n), fc.bigInt(1n, 10n ** 20n));
    fc.assert(
      fc.property(values, fc.constantFrom(...ROUNDING_MODES), ([numerator, denominator], mode) => {
        const exact = Ratio.of(numerator, denominator);
        const off = Ratio.of(roundToUnits(exact, 2, mode), 100).minus(exact);
        const limits: Record<RoundingMode, [number, number]> = {
          'half-up': [-5, 5],
          'half-even': [-5, 5],
          floor: [-10, 0],
          ceil: [0, 10],
        };
        const [low, high] = limits[mode];
        expect(off.compare(Ratio.of(low, 1000))).toBeGreaterThanOrEqual(0);
        expect(off.compare(Ratio.of(high, 1000))).toBeLessThanOrEqual(0);
      }),
    );
  });

  it('refuses negative amounts and places', () => {
    expect(() => roundToUnits(Ratio.of(-1, 3), 2, 'half-up')).toThrow(RangeError);
    expect(() => roundToUnits(Ratio.ONE, -1, 'half-up')).toThrow(RangeError);
  });
});

describe('roundToPaise', () => {
  it('returns whole rupees in paise too', () => {
    const rupees = parseDecimal('1234.567', 'rupees');
    expect(roundToPaise(rupees, { places: 2, rounding: 'half-up' })).toBe(123_457n);
    expect(roundToPaise(rupees, { places: 0, rounding: 'half-up' })).toBe(123_500n);
    expect(roundToPaise(rupees, { places: 0, rounding: 'floor' })).toBe(123_400n);
  });
});
