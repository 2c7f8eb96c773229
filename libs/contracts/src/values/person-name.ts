/** Letters of any script with their marks, blanks, and the characters . ' - */
const NAME = /^\p{L}[\p{L}\p{M} .'-]*$/u;

const MAX_NAME_LENGTH = 100;
const MIN_NAME_LENGTH = 2;

/** The stored form of a name: composed characters, straight apostrophes, single blanks. */
export function tidyName(name: string): string {
  return name
    .normalize('NFC')
    .replace(/[\u2018\u2019]/g, "'")
    .replace(/\s+/g, ' ')
    .trim();
}

/** Whether a value is a person's name of 2 to 100 characters, after trimming. */
export function isPersonName(value: unknown): value is string {
  // limits the length before blanks are collapsed
  if (typeof value !== 'string' || value.length > 2 * MAX_NAME_LENGTH) return false;
  const name = tidyName(value);
  return name.length >= MIN_NAME_LENGTH && name.length <= MAX_NAME_LENGTH && NAME.test(name);
}
