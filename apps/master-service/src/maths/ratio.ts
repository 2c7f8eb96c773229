/**
 * An exact fraction of big integers, never reduced. A quote multiplies up to hundreds of factors and is rounded
 * once: fraction.js, which finds the greatest common divisor after every operation, takes ten times as long for
 * ordinary deposits and seconds for very long ones, while the few kilobits that unreduced factors grow to cost
 * next to nothing. The specs check this class, and whole quotes, against fraction.js.
 */
export class Ratio {
  static readonly ZERO = new Ratio(0n, 1n);
  static readonly ONE = new Ratio(1n, 1n);

  private constructor(
    readonly numerator: bigint,
    /** Always positive. */
    readonly denominator: bigint,
  ) {}

  /** RangeError for a denominator of zero and for numbers that are not whole. */
  static of(numerator: bigint | number, denominator: bigint | number = 1n): Ratio {
    const divisor = BigInt(denominator);
    if (divisor === 0n) throw new RangeError('division by zero');
    return divisor < 0n ? new Ratio(-BigInt(numerator), -divisor) : new Ratio(BigInt(numerator), divisor);
  }

  plus(other: Ratio): Ratio {
    const { numerator, denominator } = this;
    // terms of a sum mostly share a denominator: without these two cases it would grow with every term
    if (denominator === other.denominator) return new Ratio(numerator + other.numerator, denominator);
    if (denominator % other.denominator === 0n) {
      return new Ratio(numerator + other.numerator * (denominator / other.denominator), denominator);
    }
    return new Ratio(
      numerator * other.denominator + other.numerator * denominator,
      denominator * other.denominator,
    );
  }

  minus(other: Ratio): Ratio {
    return this.plus(new Ratio(-other.numerator, other.denominator));
  }

  times(other: Ratio): Ratio {
    return new Ratio(this.numerator * other.numerator, this.denominator * other.denominator);
  }

  /** RangeError when the divisor is zero. */
  dividedBy(other: Ratio): Ratio {
    return Ratio.of(this.numerator * other.denominator, this.denominator * other.numerator);
  }

  /** To the power of a whole number, zero or more. */
  power(exponent: number): Ratio {
    const whole = BigInt(exponent);
    return new Ratio(this.numerator ** whole, this.denominator ** whole);
  }

  /** Negative when this one is smaller, zero when they are equal, positive when it is greater. */
  compare(other: Ratio): number {
    const difference = this.numerator * other.denominator - other.numerator * this.denominator;
    return difference < 0n ? -1 : difference > 0n ? 1 : 0;
  }

  equals(other: Ratio): boolean {
    return this.compare(other) === 0;
  }

  isZero(): boolean {
    return this.numerator === 0n;
  }
}
