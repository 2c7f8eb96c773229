import { Ratio } from './ratio.js';

const MAX_PLACES = 20;
// the places bound the work that a hostile value could cause
const PLAIN_DECIMAL = /^([0-9]{1,6})(?:\.([0-9]{1,20}))?$/;

/** Whether a text is a non-negative decimal that `parseDecimal` reads. */
export function isPlainDecimal(text: string): boolean {
  return PLAIN_DECIMAL.test(text);
}

/** Reads a non-negative decimal ("8.25") exactly. RangeError, naming `what`, for anything else. */
export function parseDecimal(text: string, what: string): Ratio {
  const match = typeof text === 'string' ? PLAIN_DECIMAL.exec(text) : null;
  if (!match)
    throw new RangeError(`${what} must be a plain non-negative decimal, got ${JSON.stringify(text)}`);
  const [, whole = '', places = ''] = match;
  return Ratio.of(BigInt(whole + places), 10n ** BigInt(places.length));
}

/** The digits of a non-negative value to so many places, and whether they are all of it. */
function expand(value: Ratio, places: number): { text: string; isExact: boolean } {
  if (value.numerator < 0n) throw new RangeError('only non-negative values are written as decimals');
  const scaled = value.numerator * 10n ** BigInt(places);
  const digits = (scaled / value.denominator).toString().padStart(places + 1, '0');
  return {
    text: `${digits.slice(0, -places)}.${digits.slice(-places)}`,
    isExact: scaled % value.denominator === 0n,
  };
}

function withoutTrailingZeros(decimal: string): string {
  // eslint-disable-next-line regexp/no-super-linear-move -- over a number of ours with a bounded number of places
  return decimal.replace(/\.?0+$/, '');
}

/**
 * The shortest decimal text of a value that came from decimals: 17/2 is "8.5", 7 is "7". RangeError when it has
 * more than 20 places.
 */
export function formatExactDecimal(value: Ratio): string {
  const { text, isExact } = expand(value, MAX_PLACES);
  if (!isExact) throw new RangeError(`not a decimal of at most ${MAX_PLACES} places`);
  return withoutTrailingZeros(text);
}

/** The first places (one or more) of a non-negative value, "…" behind them when there is more: for people to read. */
export function expandDecimal(value: Ratio, places = 10): string {
  const { text, isExact } = expand(value, places);
  return isExact ? withoutTrailingZeros(text) : `${text}…`;
}
