import fc from 'fast-check';
import { Fraction } from 'fraction.js';
import { Ratio } from './ratio.js';

const parts = fc.tuple(fc.bigInt(-(10n ** 24n), 10n ** 24n), fc.bigInt(1n, 10n ** 24n));

function same(ratio: Ratio, fraction: Fraction): boolean {
  return ratio.numerator * fraction.d === fraction.s * fraction.n * ratio.denominator;
}

describe('Ratio', () => {
  it('computes as fraction.js does', () => {
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

  it('keeps the denominator of a sum whose terms share it', () => {
    const sum = Ratio.of(1, 12).plus(Ratio.of(1, 12)).plus(Ratio.of(1, 3));
    expect([sum.numerator, sum.denominator]).toEqual([6n, 12n]);
  });

  it('knows equal values in different terms', () => {
    expect(Ratio.of(2, 4).equals(Ratio.of(-3, -6))).toBe(true);
    expect(Ratio.of(2, 4).equals(Ratio.of(3, 7))).toBe(false);
    expect(Ratio.of(0, 7).isZero()).toBe(true);
    expect(Ratio.of(1, 7).isZero()).toBe(false);
  });

  it('refuses a zero denominator, a zero divisor and numbers that are not whole', () => {
    expect(() => Ratio.of(1, 0)).toThrow(RangeError);
    expect(() => Ratio.ONE.dividedBy(Ratio.ZERO)).toThrow(RangeError);
    expect(() => Ratio.of(0.5)).toThrow(RangeError);
    expect(() => Ratio.ONE.power(-1)).toThrow(RangeError);
  });
});
