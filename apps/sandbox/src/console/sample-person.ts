import { ApiProperty } from '@nestjs/swagger';
import type { MagicInput } from '../magic/magic-value.js';
import { isMagic, withCheckDigit } from '../magic/magic-values.table.js';

/** Returns a random whole number from `min` up to, but without, `max`. */
type RandomInt = (min: number, max: number) => number;

/** The personal values that the journey requires. */
export class SamplePerson {
  @ApiProperty({ type: String, example: '919812345678' })
  readonly phone: string;

  @ApiProperty({ type: String, example: 'ABCPR1234K' })
  readonly pan: string;

  @ApiProperty({ type: String, format: 'date', example: '1990-04-21' })
  readonly dob: string;

  @ApiProperty({ type: String, format: 'email' })
  readonly email: string;

  @ApiProperty({ type: String, description: 'With its check digit.', example: '234567812346' })
  readonly aadhaar: string;

  @ApiProperty({ type: String, example: '501000123456' })
  readonly account: string;

  @ApiProperty({ type: String, example: 'HDFC0001234' })
  readonly ifsc: string;
}

/** Returns a random person whose values all succeed; collisions are unlikely. */
export function samplePerson(randomInt: RandomInt): SamplePerson {
  const digits = (count: number): string =>
    Array.from({ length: count }, () => String(randomInt(0, 10))).join('');
  const letters = (count: number): string =>
    Array.from({ length: count }, () => String.fromCharCode(randomInt(65, 91))).join('');
  return {
    phone: plain('phone', () => `91${randomInt(6, 10)}${digits(9)}`),
    // the fourth letter marks a natural person
    pan: plain('pan', () => `${letters(3)}P${letters(1)}${digits(4)}${letters(1)}`),
    dob: `19${randomInt(60, 100)}-0${randomInt(1, 10)}-1${randomInt(0, 10)}`,
    email: plain('email', () => `person.${digits(9)}@mail.example`),
    aadhaar: plain('aadhaar', () => withCheckDigit(`${randomInt(2, 10)}${digits(10)}`)),
    account: plain('account', () => `5${digits(11)}`),
    ifsc: `HDFC0${digits(6)}`,
  };
}

/** Repeats until the value is not magic: nearly always the first one. */
function plain(input: MagicInput, make: () => string): string {
  for (;;) {
    const value = make();
    if (!isMagic(input, value)) return value;
  }
}
