/** Letters of any script with their marks, blanks, and the signs that names have: . ' - */
const NAME = /^\p{L}[\p{L}\p{M} .'-]*$/u;

export const MAX_NAME_LENGTH = 100;
const MIN_NAME_LENGTH = 2;

/** A name as it is kept: composed characters, straight apostrophes, single blanks. */
export function tidyName(name: string): string {
  return name
    .normalize('NFC')
    .replace(/[\u2018\u2019]/g, "'")
    .replace(/\s+/g, ' ')
    .trim();
}

/** Whether a value is a person's name of 2 to 100 characters. Blanks around it do not matter. */
export function isPersonName(value: unknown): value is string {
  // a name that is blown up with blanks is not tidied first
  if (typeof value !== 'string' || value.length > 2 * MAX_NAME_LENGTH) return false;
  const name = tidyName(value);
  return name.length >= MIN_NAME_LENGTH && name.length <= MAX_NAME_LENGTH && NAME.test(name);
}
