import { isLatin } from './spelling.js';
import {
  AGREEMENTS,
  type Agreement,
  agreementOf,
  isInitial,
  isInitialOf,
  isSameOrRespelt,
  isSurname,
  toWord,
  type Word,
} from './words.js';

/** Maximum number of words to join. */
const LONGEST_RUN = 4;
/** Maximum difference in length between two usual spellings of a joined word. */
const LENGTH_SLACK = 3;

/**
 * Aligns the words of both names: joins words that the other name writes as one (Ram Kumar and Ramkumar), and splits
 * initials that it spells out (SV and Shiva Venkateshwara).
 */
export function alignSpacing(
  a: readonly Word[],
  b: readonly Word[],
): readonly [readonly Word[], readonly Word[]] {
  const letters = lettersOf(a);
  if (a.length === b.length && a.every((word, index) => isSameText(word, b[index]!))) return [a, b];
  if (letters === lettersOf(b) && ![...a, ...b].some(isInitial)) {
    return [[toWord(letters, true)], [toWord(letters, true)]];
  }
  const joinedA = joinRuns(a, b);
  const joinedB = joinRuns(b, joinedA);
  return [partInitials(joinedA, joinedB), partInitials(joinedB, joinedA)];
}

function lettersOf(words: readonly Word[]): string {
  return words.map((word) => word.text).join('');
}

function joinRuns(words: readonly Word[], others: readonly Word[]): readonly Word[] {
  const [first, ...rest] = words;
  if (!first) return [];
  for (let length = Math.min(LONGEST_RUN, words.length); length > 1; length -= 1) {
    const joined = joinedLike(words.slice(0, length), others);
    if (joined) return [joined, ...joinRuns(words.slice(length), others)];
  }
  return [first, ...joinRuns(rest, others)];
}

/** Joins the words if the other name writes them as one. */
function joinedLike(run: readonly Word[], others: readonly Word[]): Word | undefined {
  const text = lettersOf(run);
  // checking whether the word can match at all is cheaper than deriving its spelling
  const candidates = others.filter(
    (other) =>
      other.text[0] === text[0] &&
      other.text.length > 1 &&
      Math.abs(other.text.length - text.length) <= LENGTH_SLACK,
  );
  if (candidates.length === 0) return undefined;
  const word = toWord(text, true);
  if (!isJoinable(run, word, others)) return undefined;
  const agrees = run.some(isInitial) ? isSameText : isSameOrRespelt;
  return candidates.some((other) => agrees(word, other)) ? word : undefined;
}

/**
 * Whether words may be joined into one. A word that the other name also contains is never joined. An initial is joined
 * only with other initials (S V and SV) or at the front of a known surname (D Souza): Priyank A is not Priyanka, and
 * V Arun is not Varun.
 */
function isJoinable(run: readonly Word[], joined: Word, others: readonly Word[]): boolean {
  const isOfSurname = !run.slice(1).some(isInitial) && isSurname(joined);
  if (run.some(isInitial) && !run.every(isInitial) && !isOfSurname) return false;
  return !run.some((word) => others.some((other) => isSameOrRespelt(word, other)));
}

function partInitials(words: readonly Word[], others: readonly Word[]): readonly Word[] {
  const isRun = (word: Word) =>
    isInitialsRun(word.text) &&
    !others.some((other) => isSameOrRespelt(word, other)) &&
    others.some((_, start) => isSpeltOutAt(word.text, others, start));
  if (!words.some(isRun)) return words;
  return words.flatMap((word) => (isRun(word) ? Array.from(word.text, (letter) => toWord(letter)) : word));
}

const isSameText = (x: Word, y: Word): boolean => x.text === y.text;

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

/** Two matching words: their positions and how they agree. */
interface Pair {
  readonly a: number;
  readonly b: number;
  readonly how: Agreement;
}

/** Matching words of two names. Positions count from the front; a known surname in front counts last. */
export interface Alignment {
  readonly a: readonly Word[];
  readonly b: readonly Word[];
  readonly pairs: readonly Pair[];
  /** Positions of the words without a match. */
  readonly restA: readonly number[];
  readonly restB: readonly number[];
  /** Whether the words were written in another order. */
  readonly isSwapped: boolean;
  /** The same with known surnames last, when that does not explain the order either. */
  readonly isOrderUnclear: boolean;
}

/** Pairs each word of a name with at most one of the other, closest matches first. */
export function alignWords(givenA: readonly Word[], givenB: readonly Word[]): Alignment {
  const a = surnameLast(givenA);
  const b = surnameLast(givenB);
  const agreeing = pairsIn(a, b, agreementOf).sort((x, y) => closeness(x) - closeness(y));
  const full = takeOnce(agreeing, []);
  const pairs = takeOnce(initialsOf(a, b, full), full);
  const given = pairs.map((pair) => ({
    ...pair,
    a: placeAsGiven(pair.a, a, givenA),
    b: placeAsGiven(pair.b, b, givenB),
  }));
  return {
    a,
    b,
    pairs,
    restA: placesWithout(new Set(pairs.map((pair) => pair.a)), a),
    restB: placesWithout(new Set(pairs.map((pair) => pair.b)), b),
    isSwapped: turnsIn(given) > 0,
    isOrderUnclear: turnsIn(pairs) > 0,
  };
}

/** Moves a known surname from the front to the end: Patil Suresh Ramesh to Suresh Ramesh Patil. */
function surnameLast(words: readonly Word[]): readonly Word[] {
  const [first, ...others] = words;
  const last = others.at(-1);
  return first && last && isSurname(first) && !isSurname(last) ? [...others, first] : words;
}

function placeAsGiven(place: number, words: readonly Word[], given: readonly Word[]): number {
  return words === given ? place : (place + 1) % words.length;
}

function pairsIn(
  a: readonly Word[],
  b: readonly Word[],
  howOf: (x: Word, y: Word) => Agreement | null,
): Pair[] {
  return a.flatMap((x, i) =>
    b.flatMap((y, j) => {
      const how = howOf(x, y);
      return how ? [{ a: i, b: j, how }] : [];
    }),
  );
}

const closeness = ({ how }: Pair): number => AGREEMENTS.indexOf(how);

/** Accepted pairs, and candidates whose words are still free, in order. */
function takeOnce(candidates: readonly Pair[], taken: readonly Pair[]): readonly Pair[] {
  const result = [...taken];
  for (const pair of candidates) {
    if (!result.some(({ a, b }) => a === pair.a || b === pair.b)) result.push(pair);
  }
  return result;
}

function initialsOf(a: readonly Word[], b: readonly Word[], agreeing: readonly Pair[]): readonly Pair[] {
  const candidates = pairsIn(a, b, (x, y) => (isInitialOf(x, y) ? 'INITIAL' : null));
  const full = agreeing.filter((pair) => !isInitial(a[pair.a]!));
  if (full.length < 2) return candidates;
  // in Ramesh Rao S and Suresh Ramesh Rao, father and son, the initial stands for two people
  return candidates.filter((pair) => turnsIn([...full, pair]) <= turnsIn(full));
}

/** Number of backward steps in the second name when reading the first from front to end. */
function turnsIn(pairs: readonly Pair[]): number {
  const places = [...pairs].sort((x, y) => x.a - y.a).map((pair) => pair.b);
  return places.filter((place, index) => index > 0 && place < (places[index - 1] ?? 0)).length;
}

function placesWithout(taken: ReadonlySet<number>, words: readonly Word[]): number[] {
  return [...words.keys()].filter((place) => !taken.has(place));
}
