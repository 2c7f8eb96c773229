/** Whom a title is for: a man, a woman, either. */
export type TitleFor = 'MAN' | 'WOMAN' | 'ANYONE';

/** Titles in front of a name. All but the {@link NAME_LIKE_TITLES} may also stand at its end. */
export const TITLES: Readonly<Record<string, TitleFor>> = {
  mr: 'MAN',
  mister: 'MAN',
  shri: 'MAN',
  shree: 'MAN',
  sri: 'MAN',
  sree: 'MAN',
  shriman: 'MAN',
  sriman: 'MAN',
  thiru: 'MAN',
  janab: 'MAN',
  master: 'MAN',
  mrs: 'WOMAN',
  ms: 'WOMAN',
  miss: 'WOMAN',
  smt: 'WOMAN',
  shrimati: 'WOMAN',
  shrimathi: 'WOMAN',
  srimati: 'WOMAN',
  srimathi: 'WOMAN',
  kum: 'WOMAN',
  km: 'WOMAN',
  kumari: 'WOMAN',
  selvi: 'WOMAN',
  tmt: 'WOMAN',
  sushri: 'WOMAN',
  mx: 'ANYONE',
  dr: 'ANYONE',
  doctor: 'ANYONE',
  prof: 'ANYONE',
  professor: 'ANYONE',
  adv: 'ANYONE',
  advocate: 'ANYONE',
  er: 'ANYONE',
  ca: 'ANYONE',
  late: 'ANYONE',
  capt: 'ANYONE',
  captain: 'ANYONE',
  col: 'ANYONE',
  maj: 'ANYONE',
  brig: 'ANYONE',
  rev: 'ANYONE',
  hon: 'ANYONE',
  pt: 'MAN',
  haji: 'MAN',
  श्री: 'MAN',
  श्रीमती: 'WOMAN',
  सुश्री: 'WOMAN',
  कुमारी: 'WOMAN',
  डॉ: 'ANYONE',
};

/**
 * Titles that are also parts of names (Sri Devi, Asha Kumari) or run-together initials (Asha KM). They are titles only in front, and a name
 * is also compared with them kept.
 */
export const NAME_LIKE_TITLES: ReadonlySet<string> = new Set([
  'shri',
  'shree',
  'sri',
  'sree',
  'kumari',
  'कुमारी',
  'master',
  'selvi',
  'ms',
  'km',
  'kum',
  'ca',
  'er',
  'pt',
]);

/** Given names in their own right: in front of nothing but a surname they are the name (Kumari Rao). */
export const GIVEN_NAME_TITLES: ReadonlySet<string> = new Set(['kumari', 'selvi', 'कुमारी']);

/** Words that follow a name out of courtesy, anywhere but in front. */
export const COURTESY_WORDS: ReadonlySet<string> = new Set([
  'ji',
  'bhai',
  'ben',
  'behn',
  'garu',
  'saheb',
  'sahib',
  'saab',
]);

/** The same, written together with a name of at least so many letters: Rameshbhai, Kokilaben (but not Reuben). */
export const COURTESY_ENDINGS: readonly string[] = ['bhai', 'ben'];
export const SHORTEST_BEFORE_COURTESY_ENDING = 4;

/** Degrees and the like at the end of a name. */
export const TRAILING_WORDS: ReadonlySet<string> = new Set(['phd', 'mbbs', 'esq', 'retd']);

/** What forms write where a first or last name is not known. */
export const PLACEHOLDERS: ReadonlySet<string> = new Set(['lnu', 'fnu', 'na', 'null', 'xxx']);

/**
 * Begins a part that does not belong to the name: S/O, D/O, W/O, C/O, H/O, F/O, a guardian (U/G), the same in words,
 * an alias.
 */
export const TAIL =
  /(?:\b[sdwchf]\s*\/\s*o\b|\bu\s*\/\s*g\b|\b(?:son|daughter|wife|husband|widow|care)\s+of\b|\balias\b|\burf\b|@).*/su;

/** Ways of writing a word with signs that would be taken for spaces. */
export const SIGNS: readonly (readonly [RegExp, string])[] = [
  [/&/g, ' and '],
  [/\bm\s*\/\s*s\b/g, ' messrs '],
  [/\bn\s*\/\s*a\b/g, ' na '],
];

/**
 * Words that make it another holder: a family, a firm, a second person, the elder or the younger of two namesakes.
 * Never tolerated in one name only.
 */
export const DISTINGUISHING_WORDS: ReadonlySet<string> = new Set([
  'and',
  'or',
  'huf',
  'karta',
  'messrs',
  'ltd',
  'limited',
  'pvt',
  'llp',
  'enterprise',
  'enterprises',
  'traders',
  'industries',
  'associates',
  'company',
  'brothers',
  'sons',
  'trust',
  'trustee',
  'society',
  'foundation',
  'proprietor',
  'jr',
  'junior',
  'sr',
  'senior',
]);
