import type { MagicValue, Person } from '../shell/sandbox-api.js';

/** Maps call fields to the input whose magic values they accept. */
const INPUT_OF_FIELD: Readonly<Record<string, keyof Person>> = {
  phone: 'phone',
  email: 'email',
  number: 'pan',
  account: 'account',
  aadhaar_number: 'aadhaar',
};

/** Returns the input of a field that may have a magic value; undefined for other fields. */
export const inputOf = (field: string): keyof Person | undefined => INPUT_OF_FIELD[field];

/** Failures that a field can provoke; none for most fields. */
export function provocationsOf(field: string, magicValues: readonly MagicValue[]): readonly MagicValue[] {
  return magicValues.filter(({ input }) => input === INPUT_OF_FIELD[field]);
}

/** The part of an input that is magic if it ends with four certain digits. */
const MAGIC_PART: Partial<Record<string, (input: string) => string>> = {
  phone: (phone) => phone,
  email: (address) => address.slice(0, Math.max(0, address.lastIndexOf('@'))),
  pan: (pan) => pan.slice(5, 9),
  account: (account) => account,
  // the last digit is a check digit
  aadhaar: (aadhaar) => aadhaar.slice(0, -1),
};

/** Returns the magic value that an input contains; undefined for an input that succeeds. */
export function provocationIn(
  input: string,
  text: string,
  magicValues: readonly MagicValue[],
): MagicValue | undefined {
  const part = MAGIC_PART[input]?.(text) ?? '';
  return magicValues.find(
    (row) => row.input === input && /^\d{4}$/.test(row.value) && part.endsWith(row.value),
  );
}

/**
 * Returns a value that provokes the effect and belongs to this person only, so that each new person can use it. Where
 * that is impossible (a range, a check digit), returns the sample of the table.
 */
export function provokingValue({ input, value, sample }: MagicValue, person: Person): string {
  if (!/^\d{4}$/.test(value)) return sample;
  switch (input) {
    case 'phone':
      return person.phone.slice(0, -4) + value;
    case 'account':
      return person.account.slice(0, -4) + value;
    case 'pan':
      return person.pan.slice(0, 5) + value + person.pan.slice(9);
    case 'email':
      return person.email.replace('@', `.${value}@`);
    default:
      return sample;
  }
}
