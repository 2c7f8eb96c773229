import type { MagicValue, Person } from '../shell/sandbox-api.js';

/** Maps call fields to the input whose magic values they accept. */
const INPUT_OF_FIELD: Readonly<Record<string, keyof Person>> = {
  phone: 'phone',
  email: 'email',
  number: 'pan',
  account: 'account',
  aadhaar_number: 'aadhaar',
};

/** Failures that a field can provoke; none for most fields. */
export function provocationsOf(field: string, magicValues: readonly MagicValue[]): readonly MagicValue[] {
  return magicValues.filter(({ input }) => input === INPUT_OF_FIELD[field]);
}

/**
 * Returns a value that provokes the effect and that no other person uses yet, so that it works more than once. Where
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
