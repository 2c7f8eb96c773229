import { alignWords } from './alignment.js';
import {
  NAME_MATCH_REASONS,
  POINTS,
  bandOf,
  type NameMatch,
  type NameMatchReason,
} from './name-match.table.js';
import { hasLetter, isTooLong } from './name-text.js';
import { findDifferences, type Finding } from './scoring.js';
import { alignSpacing } from './spacing.js';
import { readName, titleFor, type BareName } from './titles.js';
import { toWord, type Word } from './word.js';

/** A name made ready for comparing; to compare one with many, it is read once. */
export interface PersonName {
  readonly readings: readonly Reading[];
  readonly hadTail: boolean;
  readonly hasLatin: boolean;
}

interface Reading extends BareName {
  readonly text: string;
  readonly compared: readonly Word[];
}

/** What may differ between two writings of the same name. */
const SAME_NAME_REASONS: ReadonlySet<NameMatchReason> = new Set([
  'HONORIFIC_DROPPED',
  'HONORIFIC_DIFFERS',
  'TAIL_DROPPED',
  'SPACING_IGNORED',
  'ORDER_SWAPPED',
]);

/**
 * How likely two texts name the same person, and why. Made for names in India, where one person is Smt. Asha K Rao,
 * RAO ASHA and Aasha Kumari Rao on three papers, and where father and son, or two sisters, differ in one word.
 *
 * Each name is read (case, accents, punctuation, titles, S/O tails), spacing is evened out, and each word of the one
 * is paired with at most one of the other: the same, another usual spelling, one slip in a long word, an initial.
 * From 100 points every difference takes its own ({@link POINTS}), and they add up:
 *
 * - spacing, order, usual spellings, an initial beside an agreed given name and surname: passes (85 and more);
 * - a given name that rests on an initial, a missing surname or middle name, a typing error: for review (70 to 84);
 * - a word in each that the other has not, a missing given name, agreement on a surname or on initials alone: refused.
 *
 * Symmetric. A name of one word passes against a longer one only as its given name, for review. Never throws; the
 * work is bounded by {@link LONGEST_NAME}. Nothing of a name appears in the answer.
 */
export function matchNames(a: string, b: string): NameMatch {
  if (!hasLetter(a) || !hasLetter(b))
    return matchOf([{ reason: 'NAME_EMPTY', points: POINTS.nothingAgrees }]);
  if (a === b) return matchOf([]);
  if (isTooLong(a) || isTooLong(b))
    return matchOf([{ reason: 'NAME_TOO_LONG', points: POINTS.nothingAgrees }]);
  return compareNames(readPersonName(a), readPersonName(b));
}

/**
 * A name as it is compared: lower case, without accents, punctuation, titles and S/O tails, single spaces; the words
 * in their order. Empty when there is no letter in it, or more than {@link LONGEST_NAME} characters.
 */
export function normaliseName(name: string): string {
  if (!hasLetter(name) || isTooLong(name)) return '';
  return readName(name).readings[0]?.words.join(' ') ?? '';
}

/**
 * Whether two texts are the same name in the same letters: case, accents, punctuation, titles, S/O tails, spacing and
 * the order of the words do not matter; spelling, initials and missing words do. False for what is no name.
 */
export function isSameName(a: string, b: string): boolean {
  return matchNames(a, b).reasons.every((reason) => SAME_NAME_REASONS.has(reason));
}

/** Reads a name of at most {@link LONGEST_NAME} characters with a letter in it. */
export function readPersonName(name: string): PersonName {
  const { readings, hadTail } = readName(name);
  const compared = readings.map(({ words, titles }) => ({
    words,
    titles,
    text: words.join(' '),
    compared: words.map((word) => toWord(word)),
  }));
  return { readings: compared, hadTail, hasLatin: compared.some(({ text }) => /[a-z]/.test(text)) };
}

/** {@link matchNames} of names that have been read. */
export function compareNames(a: PersonName, b: PersonName): NameMatch {
  if (a.hasLatin !== b.hasLatin) return matchOf([{ reason: 'SCRIPT_DIFFERS', points: POINTS.nothingAgrees }]);
  const tail: Finding[] = a.hadTail === b.hadTail ? [] : [{ reason: 'TAIL_DROPPED', points: 0 }];
  const matches = a.readings.flatMap((x) =>
    b.readings.map((y) => matchOf([...tail, ...titleDifferences(x, y), ...wordDifferences(x, y)])),
  );
  return matches.reduce((best, match) => (isBetter(match, best) ? match : best));
}

/** With equal scores by the reasons, so that the order of the names does not decide. */
function isBetter(one: NameMatch, other: NameMatch): boolean {
  if (one.score !== other.score) return one.score > other.score;
  if (one.reasons.length !== other.reasons.length) return one.reasons.length < other.reasons.length;
  return one.reasons.join() < other.reasons.join();
}

function wordDifferences(x: Reading, y: Reading): readonly Finding[] {
  // one order for every pair of names: the answer cannot depend on which of them is asked about
  const [first, second] = x.text <= y.text ? [x, y] : [y, x];
  return findDifferences(alignWords(...alignSpacing(first.compared, second.compared)));
}

function titleDifferences(x: BareName, y: BareName): Finding[] {
  const forX = titleFor(x.titles);
  const forY = titleFor(y.titles);
  if (forX && forY && forX !== forY)
    return [{ reason: 'HONORIFIC_DIFFERS', points: POINTS.honorificDiffers }];
  const isSame = x.titles.join(' ') === y.titles.join(' ');
  return isSame ? [] : [{ reason: 'HONORIFIC_DROPPED', points: 0 }];
}

function matchOf(findings: readonly Finding[]): NameMatch {
  const lost = findings.reduce((sum, finding) => sum + finding.points, 0);
  const score = Math.max(0, 100 - lost);
  const found = new Set(findings.map((finding) => finding.reason));
  return { score, band: bandOf(score), reasons: NAME_MATCH_REASONS.filter((reason) => found.has(reason)) };
}
