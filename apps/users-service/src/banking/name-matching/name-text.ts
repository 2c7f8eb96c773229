/** Longest name that is read, in characters. Longer texts are no names, and comparing words is worse than linear. */
export const LONGEST_NAME = 200;

const APOSTROPHES = /['`´‘’‛ʼʹʻ′]/gu;
/** Accents, and signs without a shape. The vowel signs of Indian scripts belong to their script and stay. */
const ACCENTS = /\p{Script=Inherited}|\p{Cf}/gu;
const WORD = /[\p{L}\p{M}\p{N}]+/gu;
const LETTER = /\p{L}/u;

/** Latin letters that Unicode does not take apart into a letter and an accent. */
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
};
const UNDIVIDED_LETTER = new RegExp(`[${Object.keys(UNDIVIDED).join('')}]`, 'gu');

/** The text in lower case, without accents, apostrophes and invisible signs. Punctuation and spaces stay. */
export function foldText(text: string): string {
  return text
    .replace(APOSTROPHES, '')
    .normalize('NFKD')
    .toLowerCase()
    .normalize('NFKD')
    .replace(ACCENTS, '')
    .replace(APOSTROPHES, '')
    .replace(UNDIVIDED_LETTER, (letter) => UNDIVIDED[letter] ?? letter);
}

/** The words of folded text: whatever stands between punctuation and spaces. */
export function wordsIn(folded: string): string[] {
  return folded.match(WORD) ?? [];
}

export function hasLetter(text: string): boolean {
  return LETTER.test(text);
}

/** Whether the text, taken apart into letters and accents, has more than {@link LONGEST_NAME} characters. */
export function isTooLong(text: string): boolean {
  // a character is one or two units, so of a longer text so many are enough; one may stand for a whole phrase
  const taken = text.slice(0, 2 * LONGEST_NAME + 2).normalize('NFKD');
  return Array.from(taken).length > LONGEST_NAME;
}

/** Whether a word is written in plain Latin letters only. Only such words are compared by more than identity. */
export function isLatin(word: string): boolean {
  return /^[a-z]+$/.test(word);
}
