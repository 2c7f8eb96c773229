import { isVerhoeff } from './verhoeff.js';

const VALID = ['2363', '758722', '123451', '234567812346', '234567800015'];

describe('Verhoeff check digit', () => {
  it.each(VALID)('accepts %s', (digits) => {
    expect(isVerhoeff(digits)).toBe(true);
  });

  it.each(VALID)('detects every wrong digit in %s', (digits) => {
    for (let at = 0; at < digits.length; at++) {
      for (const digit of '0123456789') {
        const changed = digits.slice(0, at) + digit + digits.slice(at + 1);
        expect(isVerhoeff(changed)).toBe(changed === digits);
      }
    }
  });

  it.each(VALID)('detects every swap of neighbours in %s', (digits) => {
    for (let at = 0; at < digits.length - 1; at++) {
      const swapped = digits.slice(0, at) + digits[at + 1] + digits[at] + digits.slice(at + 2);
      expect(isVerhoeff(swapped)).toBe(swapped === digits);
    }
  });
});
