import { isLatin } from './name-text.js';
import { looseSpellingOf, spellingOf } from './spelling.js';
import { COMMON_SECOND_NAMES, NAME_PREFIXES, SURNAMES } from './surnames.table.js';
import { DISTINGUISHING_WORDS } from './titles.table.js';
import { isTypingError } from './typing-error.js';

/** One word of a name, with the spellings by which it is compared. */
export interface Word {
  readonly text: string;
  readonly spelling: string;
  readonly looseSpelling: string | null;
  /** Made of several words that the other name writes as one, or the other way round. */
  readonly isJoined: boolean;
}

/** How two words agree in full, closest first. */
export const AGREEMENTS = ['SAME', 'SPELLING', 'LOOSE_SPELLING', 'TYPING_ERROR'] as const;
export type Agreement = (typeof AGREEMENTS)[number];

const SURNAME_SPELLINGS = new Set(SURNAMES.map(spellingOf));
const COMMON_SPELLINGS = new Set(COMMON_SECOND_NAMES.map(spellingOf));
const PREFIX_SPELLINGS = new Set(NAME_PREFIXES.map(spellingOf));

export function toWord(text: string, isJoined = false): Word {
  return { text, spelling: spellingOf(text), looseSpelling: looseSpellingOf(text), isJoined };
}

/** The closest way in which two words agree in full; null when they are two names. */
export function agreementOf(x: Word, y: Word): Agreement | null {
  if (x.text === y.text) return 'SAME';
  if (x.spelling === y.spelling) return 'SPELLING';
  if (x.looseSpelling !== null && x.looseSpelling === y.looseSpelling) return 'LOOSE_SPELLING';
  return isTypingError(x.text, y.text) ? 'TYPING_ERROR' : null;
}

/** Whether two words are one name in one of its usual spellings. */
export function isSameOrRespelt(x: Word, y: Word): boolean {
  const agreement = agreementOf(x, y);
  return agreement !== null && agreement !== 'TYPING_ERROR';
}

export function isInitial(word: Word): boolean {
  return word.text.length === 1 && isLatin(word.text);
}

/** Whether one of the two is an initial of the other, which is a full word. */
export function isInitialOf(x: Word, y: Word): boolean {
  return isInitial(x) !== isInitial(y) && isLatin(x.text) && isLatin(y.text) && x.text[0] === y.text[0];
}

export function isSurname(word: Word): boolean {
  return SURNAME_SPELLINGS.has(word.spelling);
}

/** Whether the word is so common in second place that it does not distinguish people. */
export function isCommon(word: Word): boolean {
  return COMMON_SPELLINGS.has(word.spelling);
}

export function isNamePrefix(word: Word): boolean {
  return PREFIX_SPELLINGS.has(word.spelling);
}

/** Whether the word makes it another holder, and so may not stand in one name only. */
export function isDistinguishing(word: Word): boolean {
  return DISTINGUISHING_WORDS.has(word.text) || /\p{N}/u.test(word.text);
}
