import type { Paise } from '@fd/contracts';

/**
 * An exact fraction of big integers, never reduced. A quote multiplies up to hundreds of factors and is rounded once:
 * fraction.js, which computes the greatest common divisor after every operation, takes ten times as long for ordinary deposits
 * and seconds for very long ones, while unreduced factors grow to a few kilobits at little cost. The specs compare this class,
 * and whole quotes, with fraction.js.
 */
export class Ratio {
  static readonly ZERO = new Ratio(0n, 1n);
  static readonly ONE = new Ratio(1n, 1n);

  private constructor(
    readonly numerator: bigint,
    readonly denominator: bigint,
  ) {}

  /** @throws RangeError for a zero denominator and fractional numbers */
  static of(numerator: bigint | number, denominator: bigint | number = 1n): Ratio {
    const divisor = BigInt(denominator);
    if (divisor === 0n) throw new RangeError('division by zero');
    return divisor < 0n ? new Ratio(-BigInt(numerator), -divisor) : new Ratio(BigInt(numerator), divisor);
  }

  plus(other: Ratio): Ratio {
    const { numerator, denominator } = this;
    // terms of a sum mostly share a denominator, which would grow with every term without these two cases
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

  dividedBy(other: Ratio): Ratio {
    return Ratio.of(this.numerator * other.denominator, this.denominator * other.numerator);
  }

  /** @param exponent a whole number, at least zero */
  power(exponent: number): Ratio {
    const whole = BigInt(exponent);
    return new Ratio(this.numerator ** whole, this.denominator ** whole);
  }

  /** Negative when this is smaller, zero when both are equal, positive when this is greater. */
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

const MAX_PLACES = 20;
/** Decimal places of rates. */
const FEW_PLACES = 4;
const POWERS_OF_TEN = Array.from({ length: MAX_PLACES + 1 }, (_, power) => 10n ** BigInt(power));
// limits the work for a hostile value
const PLAIN_DECIMAL = /^([0-9]{1,6})(?:\.([0-9]{1,20}))?$/;

/** Whether a text is a non-negative decimal that `parseDecimal` reads. */
export function isPlainDecimal(text: string): boolean {
  return PLAIN_DECIMAL.test(text);
}

/** Reads a non-negative decimal ("8.25") exactly. @throws RangeError naming `what` for anything else */
export function parseDecimal(text: string, what: string): Ratio {
  const match = typeof text === 'string' ? PLAIN_DECIMAL.exec(text) : null;
  if (!match)
    throw new RangeError(`${what} must be a plain non-negative decimal, got ${JSON.stringify(text)}`);
  const [, whole = '', places = ''] = match;
  return Ratio.of(BigInt(whole + places), 10n ** BigInt(places.length));
}

/** The digits of a non-negative value to this many places, and whether they are exact. */
function expand(value: Ratio, places: number): { text: string; isExact: boolean } {
  if (value.numerator < 0n) throw new RangeError('only non-negative values are written as decimals');
  const scaled = value.numerator * POWERS_OF_TEN[places]!;
  const quotient = scaled / value.denominator;
  const digits = quotient.toString().padStart(places + 1, '0');
  return {
    text: `${digits.slice(0, -places)}.${digits.slice(-places)}`,
    isExact: quotient * value.denominator === scaled,
  };
}

function withoutTrailingZeros(decimal: string): string {
  let end = decimal.length;
  while (decimal[end - 1] === '0') end--;
  return decimal.slice(0, decimal[end - 1] === '.' ? end - 1 : end);
}

/** The shortest exact decimal of a value: 17/2 is "8.5", 7 is "7". @throws RangeError for more than 20 places */
export function formatExactDecimal(value: Ratio): string {
  // tries few places first: twenty make long numbers, and a quote formats several rates
  const few = expand(value, FEW_PLACES);
  const { text, isExact } = few.isExact ? few : expand(value, MAX_PLACES);
  if (!isExact) throw new RangeError(`not a decimal of at most ${MAX_PLACES} places`);
  return withoutTrailingZeros(text);
}

/** A non-negative value with this many places, followed by "…" when it has more; for people. */
export function expandDecimal(value: Ratio, places = 10): string {
  const { text, isExact } = expand(value, places);
  return isExact ? withoutTrailingZeros(text) : `${text}…`;
}

export const ROUNDING_MODES = ['half-up', 'floor', 'ceil', 'half-even'] as const;
export type RoundingMode = (typeof ROUNDING_MODES)[number];

/**
 * Rounds a non-negative fraction to this many decimal places and returns units of the last place: 0.505 to two places half-up
 * is 51n. @throws RangeError for a negative value, since the modes differ there and no amount is negative
 */
export function roundToUnits(value: Ratio, places: number, mode: RoundingMode): bigint {
  if (value.numerator < 0n) throw new RangeError('only non-negative amounts are rounded');
  if (!Number.isInteger(places) || places < 0)
    throw new RangeError(`places must be 0 or more, got ${places}`);
  const scaled = value.numerator * 10n ** BigInt(places);
  const quotient = scaled / value.denominator;
  const remainder = scaled - quotient * value.denominator;
  return roundsUp(mode, quotient, remainder, value.denominator) ? quotient + 1n : quotient;
}

/** Rounds rupees in an issuer's mode; the result is in paise, even for whole rupees. */
export function roundToPaise(
  rupees: Ratio,
  { places, rounding }: { readonly places: 0 | 2; readonly rounding: RoundingMode },
): Paise {
  return roundToUnits(rupees, places, rounding) * 10n ** BigInt(2 - places);
}

function roundsUp(mode: RoundingMode, quotient: bigint, remainder: bigint, divisor: bigint): boolean {
  const twice = remainder * 2n;
  switch (mode) {
    case 'half-up':
      return twice >= divisor;
    case 'floor':
      return false;
    case 'ceil':
      return remainder > 0n;
    case 'half-even':
      return twice > divisor || (twice === divisor && quotient % 2n === 1n);
  }
}
