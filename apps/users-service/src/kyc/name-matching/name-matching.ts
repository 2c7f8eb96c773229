import { alignSpacing, alignWords } from './alignment.js';
import { hasLetter, isTooLong, type PersonName, type Reading, readName, titleFor } from './reading.js';
import {
  DIFFERENCES,
  type Finding,
  findDifferences,
  matchOf,
  type NameMatch,
  type NameMatchReason,
} from './scoring.js';
import { isDistinguishing } from './words.js';

/** Lengths of the fields in which banks keep names, in characters. */
const FIELD_LENGTHS = [20, 26, 40];

/** Differences that two spellings of one name may have. */
const SAME_NAME_REASONS: ReadonlySet<NameMatchReason> = new Set([
  'HONORIFIC_DROPPED',
  'HONORIFIC_DIFFERS',
  'TAIL_DROPPED',
  'SPACING_IGNORED',
  'ORDER_SWAPPED',
]);

/**
 * Scores how likely two texts name the same person, with reasons; see docs/name-matching.md. Symmetric; never throws;
 * {@link LONGEST_NAME} limits the work. The answer contains no part of a name.
 */
export function matchNames(a: string, b: string): NameMatch {
  if (a !== b && (isTooLong(a) || isTooLong(b))) return matchOf([DIFFERENCES.tooLong]);
  if (!hasLetter(a) || !hasLetter(b)) return matchOf([DIFFERENCES.empty]);
  if (a === b) return matchOf([]);
  return compareNames(readName(a), readName(b));
}

/**
 * Whether two texts are the same name in the same letters: case, accents, punctuation, titles, S/O tails, spacing and
 * the order of the words do not matter; spelling, initials and missing words do. False for a malformed name.
 */
export function isSameName(a: string, b: string): boolean {
  return matchNames(a, b).reasons.every((reason) => SAME_NAME_REASONS.has(reason));
}

/**
 * Compares each pair of several names and returns the weakest match, which decides: two different names can both match
 * a shorter one. Undefined when fewer than two are known.
 */
export function matchWeakest(names: readonly (string | null | undefined)[]): NameMatch | undefined {
  return names
    .filter((name) => name !== undefined && name !== null)
    .flatMap((name, index, known) => known.slice(index + 1).map((other) => matchNames(name, other)))
    .sort((a, b) => a.score - b.score)[0];
}

export function compareNames(a: PersonName, b: PersonName): NameMatch {
  if (a.hasLatin !== b.hasLatin) return matchOf([DIFFERENCES.script]);
  const tail = a.hadTail === b.hadTail ? [] : [DIFFERENCES.tailDropped];
  const matches = a.readings.flatMap((x) =>
    b.readings.map((y) => {
      const isCut = isCutOf(a.length, x, y) || isCutOf(b.length, y, x);
      const words = isCut ? [DIFFERENCES.cut] : wordDifferences(x, y);
      return matchOf([...tail, ...titleDifferences(x, y), ...words]);
    }),
  );
  return matches.reduce((best, match) => (isBetter(match, best) ? match : best));
}

/** Whether a name of this length is the beginning of the other, cut by a bank's field. The rest must not name another holder (HUF). */
function isCutOf(length: number, cut: Reading, whole: Reading): boolean {
  if (cut.words.length < 2 || !whole.text.startsWith(cut.text)) return false;
  const next = whole.text[cut.text.length];
  // a field that ends with a space is read without it
  const isFull = FIELD_LENGTHS.some((limit) => length === limit || (next === ' ' && length === limit - 1));
  return next !== undefined && isFull && !whole.words.slice(cut.words.length).some(isDistinguishing);
}

/** Breaks ties by the reasons, so that the order of the names has no effect. */
function isBetter(one: NameMatch, other: NameMatch): boolean {
  if (one.score !== other.score) return one.score > other.score;
  if (one.reasons.length !== other.reasons.length) return one.reasons.length < other.reasons.length;
  return one.reasons.join() < other.reasons.join();
}

function wordDifferences(x: Reading, y: Reading): readonly Finding[] {
  // a fixed order for every pair, so that the answer is symmetric
  const [first, second] = x.text <= y.text ? [x, y] : [y, x];
  return findDifferences(alignWords(...alignSpacing(first.words, second.words)));
}

function titleDifferences(x: Reading, y: Reading): Finding[] {
  const forX = titleFor(x);
  const forY = titleFor(y);
  if (forX && forY && forX !== forY) return [DIFFERENCES.honorificDiffers];
  return x.titles.join(' ') === y.titles.join(' ') ? [] : [DIFFERENCES.honorificDropped];
}
