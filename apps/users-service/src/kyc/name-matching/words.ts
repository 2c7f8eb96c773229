import { isLatin, isTypingError, looseSpellingOf, spellingOf, wordList } from './spelling.js';

/**
 * Surnames that are rarely given names. They show at which end of a name the surname is (Patil Suresh Ramesh), and a
 * match of the surname alone does not identify a person. Names that are both, such as Thomas or Krishnan, are omitted on
 * purpose. The spelling rules find other spellings.
 */
export const SURNAMES = wordList(`
  acharya agarwal ahluwalia aiyar ambani ansari apte arora bhosale bagchi bajaj bakshi banerjee bansal
  barua basu bedi bhandari bhat bhatia bhatnagar bhattacharya birla biswas bisht bora bose chakraborty
  chatterjee chaturvedi chaudhary chauhan chavan chawla chettiar chetty chopra dalal das dasgupta datta
  dcosta dcruz dcunha dlima deshmukh deshpande desai dey dhawan dhillon dixit dmello dogra dsilva dsouza
  dubey dutta dwivedi fernandes gaikwad gandhi ganguly ghosh gill goel gokhale gowda grewal gujral gulati
  gupta hegde ingle iyengar iyer jadhav jain jaiswal jha jindal joshi kadam kale kamath kapadia kapoor
  kaul kaur kelkar khan khanna khatri kohli kothari kulkarni kulshreshtha lobo mahajan mahapatra majumdar
  malhotra mandal marwah mathur mehra mehrotra mehta menon mhatre mishra mistry mitra modi mohanty
  mudaliar mukherjee nadar naidu naik nair nambiar namboodiri nanda narang nayak negi oberoi ojha padhi
  pai panda pandey pandit panicker parekh parikh parmar patel pathak pathan patil patnaik patra pawar
  pereira pillai poojary puri qureshi raghuvanshi rai rajput rao rastogi rathod rathore rawat ray reddy
  rodrigues roy sahu saha salvi samant sandhu sane sarkar sarma sawant saxena sen sengupta sethi sethna
  shah sharma shenoy shetty shinde shukla sidhu singh singhal sinha sodhi solanki sonawane srivastava
  swain talwar tambe tandon tendulkar thakkar thakur thapar tiwari trivedi tyagi upadhyay vaidya varma
  vaswani vaz verma vohra vyas wadhwa wagh walia warrier yadav zaveri
`);

/** Words so common in second place that they do not distinguish people. */
export const COMMON_SECOND_NAMES = wordList(
  'bai bano banu begum bibi devi kaur khatun kumar kumari lal singh',
);

/** Second parts of women's names, also written as one word with the first part (Vijayalakshmi). */
export const WOMENS_ENDINGS = wordList('bai devi kumari lakshmi rani');

/** First words that whole families or communities share and often omit. */
export const NAME_PREFIXES = wordList('mohammed syed sheikh');

/**
 * Abbreviations in the name fields of banks, by the word that they shorten. Each may also be two or three initials
 * (Suresh KR), so they count as initials.
 */
export const ABBREVIATIONS: Readonly<Record<string, readonly string[]>> = {
  kumar: ['kr', 'kmr'],
  kumari: ['ku', 'km', 'kum', 'kri'],
  prasad: ['pd', 'prd'],
  chaudhary: ['chy'],
  singh: ['sgh', 'sng'],
  bahadur: ['bdr', 'bhdr'],
  begum: ['bgm'],
  mohammed: ['mo'],
  syed: ['sd'],
};

/**
 * Words for another holder: a family, a firm, an estate, a second person, the elder or younger of two namesakes. In only
 * one name they always count as a difference.
 */
export const DISTINGUISHING_WORDS: ReadonlySet<string> = new Set(
  wordList(`
    and or huf karta messrs ltd limited pvt llp enterprise enterprises traders industries associates company
    brothers sons trust trustee society foundation proprietor propr prop jr junior sr senior
    jt jtly joint jointly nominee est estate heir heirs executor poa
  `),
);

/** Ch, Bh, Pr: one consonant of an Indian script, or two. */
const CONSONANT_PAIR = /^[b-df-hj-np-tv-z]{2}$/;
/** Shorter words are not abbreviated to two letters. */
const SHORTEST_ABBREVIATED = 4;

export interface Word {
  readonly text: string;
  readonly spelling: string;
  readonly looseSpelling: string | null;
  /** Joined from several words that the other name writes as one, or split. */
  readonly isJoined: boolean;
  /** Joined with or without an `a` that can also be the ending of a woman's name: Vijay Kumar and Vijayakumar. */
  readonly isLinkDoubtful?: boolean;
}

/** Kinds of match, closest first; a match by an initial is partial. */
export const AGREEMENTS = ['SAME', 'SPELLING', 'LOOSE_SPELLING', 'TYPING_ERROR', 'INITIAL'] as const;
export type Agreement = (typeof AGREEMENTS)[number];

/** A test for the words of a list, in any of their spellings. */
const isOneOf = (names: readonly string[]) => {
  const spellings = new Set(names.map(spellingOf));
  return ({ spelling }: Word): boolean => spellings.has(spelling);
};

export const isSurname = isOneOf(SURNAMES);
export const isCommon = isOneOf(COMMON_SECOND_NAMES);
export const isNamePrefix = isOneOf(NAME_PREFIXES);
export const isWomensEnding = isOneOf(WOMENS_ENDINGS);

/** The abbreviated word's spelling, by the abbreviation. */
const ABBREVIATED: ReadonlyMap<string, string> = new Map(
  Object.entries(ABBREVIATIONS).flatMap(([word, short]) => short.map((text) => [text, spellingOf(word)])),
);

export function toWord(text: string, isJoined = false): Word {
  return { text, spelling: spellingOf(text), looseSpelling: looseSpellingOf(text), isJoined };
}

/** The closest full match of two words; null if they are different names. */
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

/** Whether one of the two abbreviates the other: a listed abbreviation, or its first two letters if they are consonants. */
export function isAbbreviationOf(x: Word, y: Word): boolean {
  return abbreviates(x, y) || abbreviates(y, x);
}

function abbreviates({ text: short }: Word, { text, spelling }: Word): boolean {
  if (ABBREVIATED.get(short) === spelling) return true;
  return CONSONANT_PAIR.test(short) && text.length >= SHORTEST_ABBREVIATED && text.startsWith(short);
}

/** Whether the word can distinguish people of one family: not a surname, Kumar or Mohammed. */
export function namesPerson(word: Word): boolean {
  return !isSurname(word) && !isCommon(word) && !isNamePrefix(word);
}

/** Whether the word means another holder, so that both names must have it. */
export function isDistinguishing(word: Word): boolean {
  return DISTINGUISHING_WORDS.has(word.text) || /\p{N}/u.test(word.text);
}
