import { isAadhaar } from '@fd/contracts';
import type { MagicInput } from '../magic/magic-value.js';
import { isMagic } from '../magic/magic-values.table.js';

/** A random whole number from `min` up to, but without, `max`. */
export type RandomInt = (min: number, max: number) => number;

/** What a person is asked for on the way to a deposit, as far as it is theirs alone. */
export interface SamplePerson {
  readonly phone: string;
  readonly pan: string;
  /** YYYY-MM-DD. */
  readonly dob: string;
  readonly email: string;
  readonly aadhaar: string;
  readonly account: string;
  readonly ifsc: string;
}

/** A person who is most likely nobody else, and whose values all simply succeed. */
export function samplePerson(randomInt: RandomInt): SamplePerson {
  const digits = (count: number): string =>
    Array.from({ length: count }, () => String(randomInt(0, 10))).join('');
  const letters = (count: number): string =>
    Array.from({ length: count }, () => String.fromCharCode(randomInt(65, 91))).join('');
  return {
    phone: plain('phone', () => `91${randomInt(6, 10)}${digits(9)}`),
    // the fourth letter says that it is a natural person's
    pan: plain('pan', () => `${letters(3)}P${letters(1)}${digits(4)}${letters(1)}`),
    dob: `19${randomInt(60, 100)}-0${randomInt(1, 10)}-1${randomInt(0, 10)}`,
    email: plain('email', () => `person.${digits(9)}@mail.example`),
    aadhaar: plain('aadhaar', () => anAadhaar(`${randomInt(2, 10)}${digits(10)}`)),
    account: plain('account', () => `5${digits(11)}`),
    ifsc: `HDFC0${digits(6)}`,
  };
}

/** Made anew until it is no magic value: nearly always the first one. */
function plain(input: MagicInput, make: () => string): string {
  for (;;) {
    const value = make();
    if (!isMagic(input, value)) return value;
  }
}

/** The eleven digits with the check digit that belongs to them. */
function anAadhaar(start: string): string {
  const last = Array.from({ length: 10 }, (_, digit) => String(digit)).find((digit) =>
    isAadhaar(start + digit),
  );
  return start + last!;
}
