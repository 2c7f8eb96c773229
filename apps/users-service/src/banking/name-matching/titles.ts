import { foldText, hasLetter, wordsIn } from './name-text.js';
import {
  COURTESY_ENDINGS,
  COURTESY_WORDS,
  GIVEN_NAME_TITLES,
  NAME_LIKE_TITLES,
  PLACEHOLDERS,
  SHORTEST_BEFORE_COURTESY_ENDING,
  SIGNS,
  TAIL,
  TITLES,
  TRAILING_WORDS,
  type TitleFor,
} from './titles.table.js';
import { isSurname, toWord } from './word.js';

/** The words of a name without its titles, and the titles. Both folded. */
export interface BareName {
  readonly words: readonly string[];
  readonly titles: readonly string[];
}

export interface ReadName {
  /** The name without titles first; then, for titles that can be parts of a name, with those kept: three at most. */
  readonly readings: readonly BareName[];
  /** Whether a part such as S/O was left out. */
  readonly hadTail: boolean;
}

// forms and normalised text differ in the signs of some scripts
const TITLE_FOR: ReadonlyMap<string, TitleFor> = new Map(
  Object.entries(TITLES).map(([title, who]) => [foldText(title), who]),
);
const folded = (words: ReadonlySet<string>): ReadonlySet<string> => new Set([...words].map(foldText));
const NAME_LIKE = folded(NAME_LIKE_TITLES);
const GIVEN_NAMES = folded(GIVEN_NAME_TITLES);

/** Takes a name apart. A name that is nothing but titles keeps the last of them as its word. */
export function readName(name: string): ReadName {
  const text = SIGNS.reduce((rest, [sign, word]) => rest.replace(sign, word), foldText(name));
  const withoutTail = text.replace(TAIL, '');
  const hadTail = withoutTail !== text && hasLetter(withoutTail);
  return { readings: withoutTitles(wordsIn(hadTail ? withoutTail : text)), hadTail };
}

/** Whom the titles of a name are for; null when they do not tell. */
export function titleFor(titles: readonly string[]): TitleFor | null {
  const told = titles.map((title) => TITLE_FOR.get(title)).filter((who) => who && who !== 'ANYONE');
  return told[0] ?? null;
}

function withoutTitles(words: readonly string[]): BareName[] {
  const titles: string[] = [];
  let rest = words;
  const kept: BareName[] = [];
  while (isTitleOf(rest[0], rest.slice(1))) {
    const title = rest[0] as string;
    if (NAME_LIKE.has(title)) kept.push({ words: rest, titles: [...titles] });
    titles.push(title);
    rest = rest.slice(1);
  }
  // the outermost and the innermost: the number of readings must not grow with the number of titles
  const readings = [{ words: rest, titles }, ...kept.slice(0, 1), ...kept.slice(1).slice(-1)];
  return readings.map(withoutEnding);
}

function isTitleOf(word: string | undefined, rest: readonly string[]): boolean {
  if (word === undefined || rest.length === 0) return false;
  if (word === 'fnu') return true;
  if (!TITLE_FOR.has(word)) return false;
  const isGivenName = GIVEN_NAMES.has(word) && rest.length === 1 && isSurname(toWord(rest[0] ?? ''));
  return !isGivenName;
}

function withoutEnding({ words, titles }: BareName): BareName {
  let end = words.length;
  while (end > 1 && isEnding(words[end - 1] ?? '')) end -= 1;
  const dropped = words.slice(end).filter((word) => !PLACEHOLDERS.has(word));
  const kept: string[] = [];
  words.slice(0, end).forEach((word, index) => {
    if (index > 0 && COURTESY_WORDS.has(word)) return void dropped.push(word);
    const ending = COURTESY_ENDINGS.find(
      (one) => word.endsWith(one) && word.length >= one.length + SHORTEST_BEFORE_COURTESY_ENDING,
    );
    if (ending) dropped.push(ending);
    kept.push(ending ? word.slice(0, -ending.length) : word);
  });
  return { words: kept, titles: [...titles.filter((title) => !PLACEHOLDERS.has(title)), ...dropped] };
}

function isEnding(word: string): boolean {
  if (TRAILING_WORDS.has(word) || PLACEHOLDERS.has(word)) return true;
  return TITLE_FOR.has(word) && !NAME_LIKE.has(word);
}
