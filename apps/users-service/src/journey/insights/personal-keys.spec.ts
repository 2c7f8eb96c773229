import fc from 'fast-check';
import { HAS_PERSONAL, type PersonalValue } from './personal-keys.js';

const KINDS = Object.keys(HAS_PERSONAL) as PersonalValue[];

/** The same rules as one expression each, which looks at a text again and again. */
const SLOW: Record<PersonalValue, RegExp> = {
  letters: /\p{L}.*\p{L}/su,
  digits: /^(?!.*[x*]{4})(?:.*[0-9]){5}/is,
  address: /\p{L}.*[\s0-9]|[0-9].*[\s.:]/su,
  anything: /\S/,
};

describe('a value under a personal key', () => {
  it.each<[PersonalValue, string, boolean]>([
    ['letters', 'Asha', true],
    ['letters', '1 आ 2 शा', true],
    ['letters', 'A', false],
    ['letters', '12 - 34', false],
    ['digits', '12345', true],
    ['digits', 'a1b2c3d4e5', true],
    ['digits', '1234', false],
    ['digits', '12XXXX34567', false],
    ['digits', '****12345', false],
    ['digits', 'xx*12345', true],
    ['address', '12 MG Road', true],
    ['address', 'Pune 411001', true],
    ['address', 'Flat4', true],
    ['address', '203.0.113.9', true],
    ['address', '2001:db8', true],
    ['address', 'HOME', false],
    ['address', '12', false],
    ['address', ' HOME', false],
    ['address', '..:', false],
    ['anything', ' x', true],
    ['anything', ' \t\u00a0', false],
    ...KINDS.map((kind): [PersonalValue, string, boolean] => [kind, '', false]),
  ])('judges as %s whether %j is personal: %s', (kind, text, isPersonal) => {
    expect(HAS_PERSONAL[kind](text)).toBe(isPersonal);
    expect(SLOW[kind].test(text)).toBe(isPersonal);
  });

  const text = fc.oneof(
    fc.string({ unit: fc.constantFrom(...'aZx*09 .:\n-आ'), maxLength: 40 }),
    fc.string({ unit: 'binary' }),
  );

  it.each(KINDS)('judges %s as its pattern does', (kind) => {
    fc.assert(
      fc.property(text, (value) => {
        fc.pre(!/\p{Surrogate}/u.test(value));
        expect(HAS_PERSONAL[kind](value)).toBe(SLOW[kind].test(value));
      }),
      { numRuns: 500 },
    );
  });
});
