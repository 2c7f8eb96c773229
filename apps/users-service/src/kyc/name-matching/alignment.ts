import { isLatin } from './spelling.js';
import {
  AGREEMENTS,
  type Agreement,
  agreementOf,
  isAbbreviationOf,
  isInitial,
  isInitialOf,
  isSameOrRespelt,
  isSurname,
  isWomensEnding,
  namesPerson,
  toWord,
  type Word,
} from './words.js';

/** Maximum number of words to join. */
const LONGEST_RUN = 4;
/** Longer names are not searched for compounds, which takes long. */
const MOST_WORDS = 12;
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
  const wordOf = rememberedWords();
  const joinedA = joinRuns(a, b, wordOf);
  const joinedB = joinRuns(b, joinedA, wordOf);
  return [partInitials(joinedA, joinedB), partInitials(joinedB, joinedA)];
}

function lettersOf(words: readonly Word[]): string {
  return words.map((word) => word.text).join('');
}

/** Derives the word of a text, once for each text of two names: a search for compounds tries the same parts thousands of times. */
type WordOf = (text: string) => Word;

function rememberedWords(): WordOf {
  const known = new Map<string, Word>();
  return (text) => {
    const word = known.get(text) ?? toWord(text);
    known.set(text, word);
    return word;
  };
}

function joinRuns(words: readonly Word[], others: readonly Word[], wordOf: WordOf): readonly Word[] {
  const [first, ...rest] = words;
  if (!first) return [];
  for (let length = Math.min(LONGEST_RUN, words.length); length > 1; length -= 1) {
    const joined = joinedLike(words.slice(0, length), others, wordOf);
    if (joined) return [joined, ...joinRuns(words.slice(length), others, wordOf)];
  }
  return [first, ...joinRuns(rest, others, wordOf)];
}

/** Joins the words if the other name writes them as one. */
function joinedLike(run: readonly Word[], others: readonly Word[], wordOf: WordOf): Word | undefined {
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
  if (candidates.some((other) => isSameText(word, other))) return word;
  if (run.some(isInitial) || others.length > MOST_WORDS) return undefined;
  for (const other of candidates) {
    const how = compositionOf(run, other.text, wordOf);
    if (how) return respelt(word, other, how === 'DOUBTFUL');
  }
  return undefined;
}

/** The joined word, which agrees with the other at least by the wider rules. */
function respelt(word: Word, other: Word, isLinkDoubtful: boolean): Word {
  const looseSpelling = isSameOrRespelt(word, other) ? word.looseSpelling : other.looseSpelling;
  return { ...word, looseSpelling, isLinkDoubtful };
}

/**
 * Whether a word consists of others in order, each in a usual spelling: Laxmi Narayan and Lakshminarayana. One of the two
 * may have an `a` between two parts that the other omits: Vijay Lakshmi and Vijayalakshmi. Before Kumar and the like this is
 * doubtful, since Amitakumar can also be Amita Kumar, the sister of Amit Kumar. Comparing the whole words instead would
 * equate more people: Deepak Kumar and Deepa Kumar, Akhil Kumar and Aqil Kumar.
 */
function compositionOf(parts: readonly Word[], text: string, wordOf: WordOf): 'CLEAR' | 'DOUBTFUL' | null {
  const [part, next] = parts;
  if (!part) return null;
  if (!next) return isSpelt(text, part, wordOf) ? 'CLEAR' : null;
  const longest = Math.min(text.length - 1, part.text.length + LENGTH_SLACK);
  for (let end = Math.max(1, part.text.length - LENGTH_SLACK); end <= longest; end += 1) {
    // a doubled letter belongs to both parts
    if (text[end] === text[end + 1] && next.text[0] !== next.text[1]) continue;
    const how = startOf(text.slice(0, end), part, next, wordOf);
    const rest = how && compositionOf(parts.slice(1), text.slice(end), wordOf);
    if (rest) return how === 'DOUBTFUL' ? how : rest;
  }
  return null;
}

function startOf(text: string, part: Word, next: Word, wordOf: WordOf): 'CLEAR' | 'DOUBTFUL' | null {
  if (isSpelt(text, part, wordOf)) return 'CLEAR';
  const isDistinctive = namesPerson(next) || isWomensEnding(next);
  if (text.endsWith('a') && isSpelt(text.slice(0, -1), part, wordOf))
    return isDistinctive ? 'CLEAR' : 'DOUBTFUL';
  // Amita Kumar is not Amitkumar
  return isDistinctive && part.text.endsWith('a') && isSpelt(text, wordOf(part.text.slice(0, -1)), wordOf)
    ? 'CLEAR'
    : null;
}

function isSpelt(text: string, word: Word, wordOf: WordOf): boolean {
  if (text === word.text) return true;
  if (Math.abs(text.length - word.text.length) > LENGTH_SLACK) return false;
  return isSameOrRespelt(wordOf(text), word);
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
    others.some((_, start) => isSpeltOutAt(word.text, others, start, words));
  if (!words.some(isRun)) return words;
  return words.flatMap((word) => (isRun(word) ? Array.from(word.text, (letter) => toWord(letter)) : word));
}

const isSameText = (x: Word, y: Word): boolean => x.text === y.text;

/** Two letters, or three without a vowel: longer ones, and Raj or Uma, are names. */
function isInitialsRun(text: string): boolean {
  return isLatin(text) && (text.length === 2 || (text.length === 3 && !/[aeiou]/.test(text)));
}

/** Whether the words there begin with the letters, and none of them is a word that the letters stand beside. */
function isSpeltOutAt(
  letters: string,
  words: readonly Word[],
  start: number,
  beside: readonly Word[],
): boolean {
  const run = words.slice(start, start + letters.length);
  return (
    run.length === letters.length &&
    run.every((word, index) => !isInitial(word) && word.text[0] === letters[index]) &&
    !run.some((word) => beside.some((other) => isSameOrRespelt(word, other)))
  );
}

export interface Pair {
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
  const full = agreeing.filter((pair) => !isInitial(a[pair.a]!));
  // an abbreviation may also be two initials: without another word that agrees, KR Sharma is not Kumar Sharma
  const canAbbreviate = full.some((pair) => namesPerson(a[pair.a]!));
  const candidates = pairsIn(a, b, (x, y) =>
    isInitialOf(x, y) || (canAbbreviate && isAbbreviationOf(x, y)) ? 'INITIAL' : null,
  );
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
