import { isLatin } from './name-text.js';

/** Shorter words that are one letter apart are two names more often than one: Sunita and Sumita, Rajesh and Rakesh. */
export const SHORTEST_MISTYPED = 8;

/** Families of names that are one letter apart from each other: Harvinder and Harjinder, Rajeshwar and Rakeshwar. */
const LOOKALIKE_ENDINGS = /(?:ind[ea]r|endra|endar|ender|eshw?ar|eshwari|eet|eep)$/;

const VOWELS = 'aeiou';
const KEY_ROWS = ['qwertyuiop', 'asdfghjkl', 'zxcvbnm'];

function areNeighbours(x: string, y: string): boolean {
  return KEY_ROWS.some((row) => row.includes(x + y) || row.includes(y + x));
}

/** Whether one letter is easily written for the other: beside it on the keyboard, or a vowel for a vowel. */
function isSlip(x: string, y: string): boolean {
  return (VOWELS.includes(x) && VOWELS.includes(y)) || areNeighbours(x, y);
}

/**
 * Whether two long words differ by one slip of the hand inside: two letters exchanged, one left out or doubled in
 * error, one wrong by {@link isSlip}. First and last letter must agree: the last one tells Krishna from Krishnan,
 * and Priyank from Priyanka. Symmetric, linear in the letters.
 */
export function isTypingError(x: string, y: string): boolean {
  if (Math.min(x.length, y.length) < SHORTEST_MISTYPED || Math.abs(x.length - y.length) > 1) return false;
  if (x === y || x[0] !== y[0] || x.at(-1) !== y.at(-1)) return false;
  if (!isLatin(x) || !isLatin(y)) return false;
  if (LOOKALIKE_ENDINGS.test(x) && LOOKALIKE_ENDINGS.test(y)) return false;
  return x.length < y.length ? isOneSlip(x, y) : isOneSlip(y, x);
}

function isOneSlip(shorter: string, longer: string): boolean {
  let start = 0;
  while (start < shorter.length && shorter[start] === longer[start]) start += 1;
  let end = 0;
  while (end < shorter.length - start && shorter.at(-1 - end) === longer.at(-1 - end)) end += 1;
  const left = shorter.slice(start, shorter.length - end);
  const right = longer.slice(start, longer.length - end);
  if (left === '') return right.length === 1;
  if (left.length === 1) return right.length === 1 && isSlip(left, right);
  return left.length === 2 && left === `${right[1]}${right[0]}`;
}
