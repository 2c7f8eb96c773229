import { isLatin } from './name-text.js';
import { isInitial, isSameOrRespelt, toWord, type Word } from './word.js';

/** Most words that are tried as one. */
const LONGEST_RUN = 4;
/** Letters by which two usual spellings of a joined word may differ in length. */
const LENGTH_SLACK = 3;

/**
 * Both names in words that can be compared: runs that the other name writes as one word are joined (Ram Kumar and
 * Ramkumar), initials that it spells out are parted (SV and Shiva Venkateshwara).
 */
export function alignSpacing(
  a: readonly Word[],
  b: readonly Word[],
): readonly [readonly Word[], readonly Word[]] {
  const letters = lettersOf(a);
  const isSameText = a.length === b.length && a.every((word, index) => word.text === b[index]?.text);
  if (isSameText) return [a, b];
  if (letters === lettersOf(b) && ![...a, ...b].some(isInitial)) {
    return [[toWord(letters, true)], [toWord(letters, true)]];
  }
  const joinedA = joinRuns(a, b);
  const joinedB = joinRuns(b, joinedA);
  return [partInitials(joinedA, joinedB), partInitials(joinedB, joinedA)];
}

const isSame = (x: Word, y: Word): boolean => x.text === y.text;

function lettersOf(words: readonly Word[]): string {
  return words.map((word) => word.text).join('');
}

function joinRuns(words: readonly Word[], others: readonly Word[]): Word[] {
  const result: Word[] = [];
  for (let start = 0; start < words.length;) {
    const run = runJoinedBy(words, start, others);
    const next = run?.word ?? words[start];
    if (next) result.push(next);
    start += run?.length ?? 1;
  }
  return result;
}

function runJoinedBy(words: readonly Word[], start: number, others: readonly Word[]) {
  for (let length = Math.min(LONGEST_RUN, words.length - start); length > 1; length -= 1) {
    const run = words.slice(start, start + length);
    const word = joinedLike(run, others);
    if (word && isJoinable(run, others)) return { word, length };
  }
  return null;
}

/**
 * Whether words may be parts of one word. A word that the other name has too stands for itself; and an initial is no
 * part (Priyank A is not Priyanka), except among initials alone (S V and SV) or in front (D Souza).
 */
function isJoinable(run: readonly Word[], others: readonly Word[]): boolean {
  if (run.slice(1).some(isInitial) && !run.every(isInitial)) return false;
  return !run.some((word) => others.some((other) => isSameOrRespelt(word, other)));
}

function joinedLike(run: readonly Word[], others: readonly Word[]): Word | null {
  const text = lettersOf(run);
  const isNear = (other: Word) =>
    other.text[0] === text[0] &&
    other.text.length > 1 &&
    Math.abs(other.text.length - text.length) <= LENGTH_SLACK;
  // working out a spelling costs more than looking whether the word can be any of the others
  const candidates = others.filter(isNear);
  if (candidates.length === 0) return null;
  const word = toWord(text, true);
  const holds = run.some(isInitial) ? isSame : isSameOrRespelt;
  return candidates.some((other) => holds(word, other)) ? word : null;
}

function partInitials(words: readonly Word[], others: readonly Word[]): readonly Word[] {
  const isRun = (word: Word) =>
    isInitialsRun(word.text) &&
    !others.some((other) => isSameOrRespelt(word, other)) &&
    others.some((_, start) => isSpeltOutAt(word.text, others, start));
  if (!words.some(isRun)) return words;
  return words.flatMap((word) => (isRun(word) ? Array.from(word.text, (letter) => toWord(letter)) : word));
}

/** Two letters, or three without a vowel: longer ones, and Raj or Uma, are names. */
function isInitialsRun(text: string): boolean {
  return isLatin(text) && (text.length === 2 || (text.length === 3 && !/[aeiou]/.test(text)));
}

function isSpeltOutAt(letters: string, words: readonly Word[], start: number): boolean {
  const run = words.slice(start, start + letters.length);
  return (
    run.length === letters.length &&
    run.every((word, index) => !isInitial(word) && word.text[0] === letters[index])
  );
}
