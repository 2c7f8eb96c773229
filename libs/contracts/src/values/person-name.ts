/** The virama of each Indian script, which joins its letters, by the script's ISO 15924 code. */
const VIRAMAS = {
  Deva: '\\u094D',
  Beng: '\\u09CD',
  Guru: '\\u0A4D',
  Gujr: '\\u0ACD',
  Orya: '\\u0B4D',
  Taml: '\\u0BCD',
  Telu: '\\u0C4D',
  Knda: '\\u0CCD',
  Mlym: '\\u0D4D',
  Sinh: '\\u0DCA',
};
const ZWNJ = '\\u200C';
const ZWJ = '\\u200D';

/** Arabic letters that join both neighbours, and those that join only the one before (Joining_Type D and R). */
const JOINING_BOTH =
  '\\u0620\\u0626\\u0628\\u062A-\\u062E\\u0633-\\u063F\\u0641-\\u0647\\u0649\\u064A\\u066E\\u066F\\u0678-\\u0687' +
  '\\u069A-\\u06BF\\u06C1\\u06C2\\u06CC\\u06CE\\u06D0\\u06D1\\u06FA-\\u06FC\\u06FF';
const JOINING_ONE =
  '\\u0622-\\u0625\\u0627\\u0629\\u062F-\\u0632\\u0648\\u0671-\\u0673\\u0675-\\u0677\\u0688-\\u0699\\u06C0' +
  '\\u06C3-\\u06CB\\u06CD\\u06CF\\u06D2\\u06D3\\u06D5\\u06EE\\u06EF';

/**
 * The places where Unicode allows the invisible joiners, which change how letters are drawn. First those of UAX #31:
 * - A1: a non-joiner between two Arabic letters that would join;
 * - A2: a non-joiner behind a letter and its virama, before a letter of the same script;
 * - B: a joiner behind a letter and its virama, not before a vowel sign.
 * Then those of the Unicode Standard, chapter 12: a joiner between ra and the virama in Bengali (before ya) and Kannada.
 */
const JOINED = [
  `[${JOINING_BOTH}]\\p{M}*${ZWNJ}(?=\\p{M}*[${JOINING_BOTH}${JOINING_ONE}])`,
  `(?=[\\p{L}\\p{M}])(?:${Object.entries(VIRAMAS)
    .map(([script, virama]) => `\\p{sc=${script}}${virama}(?!${ZWNJ}\\P{sc=${script}})`)
    .join('|')})(?:${ZWNJ}(?=\\p{L})|${ZWJ}(?=[${Object.values(VIRAMAS).join('')}]|\\P{M}|$))`,
  `\\u09B0${ZWJ}(?=\\u09CD\\u09AF)`,
  `\\u0CB0${ZWJ}(?=\\u0CCD\\p{sc=Knda})`,
].join('|');

/** Letters of any script with their marks, joiners where they belong, blanks, and the characters . ' - */
const NAME_CHARACTERS = `(?:${JOINED}|[\\p{L}\\p{M} .'-])*$`;

/** A name in its stored form, as a pattern of JSON Schema. It has no lookbehind, which older browsers do not know. */
export const NAME_PATTERN = `^(?=\\p{L})${NAME_CHARACTERS}`;

const NAME = new RegExp(NAME_PATTERN, 'u');
const PART_OF_NAME = new RegExp(`^${NAME_CHARACTERS}`, 'u');

const MAX_NAME_LENGTH = 100;
const MIN_NAME_LENGTH = 2;

const withUsualCharacters = (name: string): string => name.normalize('NFC').replace(/[\u2018\u2019]/g, "'");

/** The stored form of a name: composed characters, straight apostrophes, single blanks. */
export function tidyName(name: string): string {
  return withUsualCharacters(name).replace(/\s+/g, ' ').trim();
}

/** Whether a value is a person's name of 2 to 100 characters, after trimming. */
export function isPersonName(value: unknown): value is string {
  // limits the length before blanks are collapsed
  if (typeof value !== 'string' || value.length > 2 * MAX_NAME_LENGTH) return false;
  const name = tidyName(value);
  return name.length >= MIN_NAME_LENGTH && name.length <= MAX_NAME_LENGTH && NAME.test(name);
}

/** Whether a text of any length has only the characters of a name. */
export function hasNameCharacters(text: string): boolean {
  return PART_OF_NAME.test(withUsualCharacters(text));
}
