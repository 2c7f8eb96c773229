import type { Paise } from '@fd/contracts';
import type { QuoteSwitches } from './convention.js';
import type { Ratio } from './ratio.js';

type RoundingMode = QuoteSwitches['rounding'];

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

/**
 * Rounds a non-negative fraction to so many decimal places and returns it in units of the last place: 0.505 to
 * two places half-up is 51n. RangeError when it is negative: the modes differ there, and no amount of a quote is.
 */
export function roundToUnits(value: Ratio, places: number, mode: RoundingMode): bigint {
  if (value.numerator < 0n) throw new RangeError('only non-negative amounts are rounded');
  if (!Number.isInteger(places) || places < 0)
    throw new RangeError(`places must be 0 or more, got ${places}`);
  const scaled = value.numerator * 10n ** BigInt(places);
  const quotient = scaled / value.denominator;
  return roundsUp(mode, quotient, scaled % value.denominator, value.denominator) ? quotient + 1n : quotient;
}

/** Rounds rupees as the switches say; the result is in paise even when it is rounded to whole rupees. */
export function roundToPaise(rupees: Ratio, rule: Pick<QuoteSwitches, 'places' | 'rounding'>): Paise {
  return roundToUnits(rupees, rule.places, rule.rounding) * 10n ** BigInt(2 - rule.places);
}
