import { wordList } from './spelling.js';
import { isSurname, toWord, type Word } from './words.js';

/** Maximum length of a name in characters. Longer texts are not names, and comparing words takes more than linear time. */
export const LONGEST_NAME = 200;

const APOSTROPHES = /['`´‘’‛ʼʹʻ′]/gu;
/** Accents, and characters without a shape. The vowel signs of Indian scripts belong to the script and stay. */
const ACCENTS = /\p{Script=Inherited}|\p{Cf}/gu;
/**
 * Letters that Unicode does not decompose: Latin ones with an accent, and those of Malayalam and Bengali that are also
 * written with a virama and a joiner.
 */
const UNDIVIDED: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ł: 'l',
  ı: 'i',
  þ: 'th',
  ൺ: 'ണ്',
  ൻ: 'ന്',
  ർ: 'ര്',
  ൽ: 'ല്',
  ൾ: 'ള്',
  ൿ: 'ക്',
  ৎ: 'ত্',
};
const UNDIVIDED_LETTER = new RegExp(`[${Object.keys(UNDIVIDED).join('')}]`, 'gu');

/** Titles before a name, by gender. All except the name-like ones may also follow it. */
export const TITLES = {
  MAN: wordList(`
    mr mister shri shree sri sree sh shriman sriman shriyut sriyut srijut thiru janab master mstr pt fr
    haji hajji hajee alhaj maulana moulana maulvi moulvi molvi श्री
  `),
  WOMAN: wordList(`
    mrs ms miss smt smti shrimati shrimathi shrimathy shreemati srimati srimathi srimathy sou sau sow
    kum km ku kumari selvi tmt thirumathi thirumathy sushri sister mosammat musammat mosamat mossammat
    श्रीमती सुश्री कुमारी
  `),
  ANYONE: wordList(`
    mx dr doctor prof professor adv advocate er engr ca late mst hon honble honourable justice rev
    lt lieutenant capt captain maj major col colonel brig brigadier gen general cdr commander cmde commodore
    adm admiral sub subedar hav havildar डॉ
  `),
} as const;
type TitleFor = keyof typeof TITLES;

const TITLE_FOR: ReadonlyMap<string, TitleFor> = new Map(
  (Object.keys(TITLES) as TitleFor[]).flatMap((who) =>
    TITLES[who].map((title) => [foldText(title), who] as const),
  ),
);

/** Folded, since forms and normalised text differ in the signs of some scripts. */
const foldedSet = (text: string): ReadonlySet<string> => new Set(wordList(text).map(foldText));

/**
 * Titles that are also parts of names (Sri Devi, Asha Kumari) or run-together initials (Asha KM). They are titles only
 * in front, and a name is also compared with them kept.
 */
const NAME_LIKE_TITLES = foldedSet(`
  shri shree sri sree sh kumari कुमारी master selvi ms km kum ku ca er pt fr lt cdr mst sub major subedar sou sau sow
`);
/** Titles that are also given names: before only a surname they are the name (Kumari Rao). */
const GIVEN_NAME_TITLES = foldedSet('kumari कुमारी');
/** The same before any single word, which may be the father's name: Selvi Raman is not Raman. */
const RARE_TITLES = foldedSet('selvi major subedar');
/** First words of ranks of two (Lt Col, Wg Cdr), titles only before the second. */
const RANK_WORDS = foldedSet(`
  lt lieutenant maj major wg wing sqn squadron gp group flt flight fg flg flying air rear vice nb naib sub ex hony honorary
`);
/** Last words of ranks; Leader, Officer and Marshal are no titles alone. */
const RANK_ENDINGS = foldedSet(`
  lt lieutenant capt captain maj major col colonel gen general cdr commander cmde commodore adm admiral sub subedar
  hav havildar ldr leader offr officer marshal mshl
`);
/** Courtesy words after a name. */
const COURTESY_WORDS = foldedSet('ji bhai ben behn garu saheb sahib saab');
/** The same as a suffix of a name of at least four letters: Rameshbhai, Kokilaben (but not Reuben). */
const COURTESY_ENDING = /(?<=.{4})(?:bhai|ben)$/;
/** Degrees and the like at the end of a name. */
export const TRAILING_WORDS = foldedSet('phd mbbs esq retd retired rtd');
/** Placeholders of forms for an unknown first or last name. */
const PLACEHOLDERS = foldedSet('lnu fnu na null xxx');

/**
 * Each begins a part that does not belong to the name: S/O, D/O, W/O, Wd/O, C/O, H/O, F/O, B/O, a guardian (U/G, F/N/G), the
 * same in words, an alias.
 */
const TAILS = [
  /\b(?:[sdwchfb]|wd)\s*[/\\]\s*o\b/u,
  /\b[ufmn]\s*[/\\]\s*(?:n\s*[/\\]\s*)?g\b/u,
  /\b(?:son|daughter|wife|husband|widow|care)\s+of\b/u,
  /\balias\b|\burf\b|@/u,
];

/** Spellings with characters that would otherwise count as spaces. */
const SIGNS: readonly (readonly [RegExp, string])[] = [
  [/&/g, ' and '],
  [/\bm\s*\/\s*s\b/g, ' messrs '],
  [/\bn\s*\/\s*a\b/g, ' na '],
];

/** One way to read a name: its words without titles, and the titles. All folded. */
export interface Reading {
  readonly titles: readonly string[];
  readonly words: readonly Word[];
  /** The words, with single spaces. */
  readonly text: string;
}

export interface PersonName {
  /** Readings: first without titles, then with those titles that can be parts of a name; at most three. */
  readonly readings: readonly Reading[];
  /** Whether a part such as S/O was removed. */
  readonly hadTail: boolean;
  /** Number of characters, with titles and single spaces. */
  readonly length: number;
  readonly hasLatin: boolean;
}

interface SplitName {
  readonly titles: readonly string[];
  readonly words: readonly string[];
}

/**
 * Parses a name of at most {@link LONGEST_NAME} characters with at least one letter. A name of titles only keeps the
 * last one as its word.
 */
export function readName(name: string): PersonName {
  const text = SIGNS.reduce((rest, [sign, word]) => rest.replace(sign, word), foldText(name));
  const tails = TAILS.map((tail) => text.search(tail)).filter((start) => start >= 0);
  const withoutTail = text.slice(0, Math.min(text.length, ...tails));
  const hadTail = withoutTail !== text && hasLetter(withoutTail);
  const words = (hadTail ? withoutTail : text).match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  const readings = splitTitles(words).map((split) => ({
    titles: split.titles,
    words: split.words.map((word) => toWord(word)),
    text: split.words.join(' '),
  }));
  const length = Array.from(name.normalize('NFC').trim().replace(/\s+/g, ' ')).length;
  return { readings, hadTail, length, hasLatin: readings.some((reading) => /[a-z]/.test(reading.text)) };
}

/** Whether a letter is left without accents and apostrophes, some of which Unicode counts as letters. */
export function hasLetter(text: string): boolean {
  return /\p{L}/u.test(foldText(text));
}

/** Whether the text, decomposed into letters and accents, has more than {@link LONGEST_NAME} characters. */
export function isTooLong(text: string): boolean {
  // a character has one or two code units, so this prefix is enough; one character may decompose into a phrase
  const taken = text.slice(0, 2 * LONGEST_NAME + 2).normalize('NFKD');
  return Array.from(taken).length > LONGEST_NAME;
}

/** The gender of a name's titles; undefined without any, and for both: in Sri Kumari one is probably a given name. */
export function titleFor({ titles }: Reading): TitleFor | undefined {
  const [gender, ...others] = titles
    .map((title) => TITLE_FOR.get(title))
    .filter((who) => who && who !== 'ANYONE');
  return others.every((other) => other === gender) ? gender : undefined;
}

/** Returns the text in lower case, without accents, apostrophes and invisible characters. Punctuation and spaces stay. */
function foldText(text: string): string {
  return text
    .replace(APOSTROPHES, '')
    .normalize('NFKD')
    .toLowerCase()
    .normalize('NFKD')
    .replace(ACCENTS, '')
    .replace(APOSTROPHES, '')
    .replace(UNDIVIDED_LETTER, (letter) => UNDIVIDED[letter] ?? letter);
}

function splitTitles(words: readonly string[]): SplitName[] {
  const titles: string[] = [];
  const kept: SplitName[] = [];
  let rest = words;
  for (let length = titleLength(rest); length > 0; length = titleLength(rest)) {
    const [title = ''] = rest;
    if (length === 1 && NAME_LIKE_TITLES.has(title)) kept.push({ words: rest, titles: [...titles] });
    titles.push(...rest.slice(0, length));
    rest = rest.slice(length);
  }
  // only the outermost and the innermost, so that many titles do not add readings
  return [{ words: rest, titles }, ...kept.slice(0, 1), ...kept.slice(1).slice(-1)].map(splitEnding);
}

/** Number of words of the title in front; 0 without one. A title has a name behind it. */
function titleLength(words: readonly string[]): number {
  const first = words.findIndex((word) => !RANK_WORDS.has(word));
  if (first > 0 && first < words.length - 1 && RANK_ENDINGS.has(words[first]!)) return first + 1;
  // Flt Lt and Sub Maj have two first words
  if (first > 1 && RANK_ENDINGS.has(words[first - 1]!)) return first;
  return isTitleOf(words[0], words.slice(1)) ? 1 : 0;
}

function isTitleOf(word: string | undefined, rest: readonly string[]): boolean {
  if (word === undefined || rest.length === 0) return false;
  if (word === 'fnu') return true;
  if (!TITLE_FOR.has(word) || (RARE_TITLES.has(word) && rest.length === 1)) return false;
  const isGivenName = GIVEN_NAME_TITLES.has(word) && rest.length === 1 && isSurname(toWord(rest[0]!));
  return !isGivenName;
}

function splitEnding({ words, titles }: SplitName): SplitName {
  const end = Math.max(1, words.findLastIndex((word) => !isEnding(word)) + 1);
  const dropped = words.slice(end);
  const kept: string[] = [];
  words.slice(0, end).forEach((word, index) => {
    if (index > 0 && COURTESY_WORDS.has(word)) return void dropped.push(word);
    const [ending] = COURTESY_ENDING.exec(word) ?? [];
    if (ending) dropped.push(ending);
    kept.push(ending ? word.slice(0, -ending.length) : word);
  });
  return { words: kept, titles: [...titles, ...dropped].filter((title) => !PLACEHOLDERS.has(title)) };
}

function isEnding(word: string): boolean {
  if (TRAILING_WORDS.has(word) || PLACEHOLDERS.has(word)) return true;
  return TITLE_FOR.has(word) && !NAME_LIKE_TITLES.has(word);
}
