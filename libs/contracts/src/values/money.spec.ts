import fc from 'fast-check';
import { readAmount } from './money.js';

describe('readAmount', () => {
  it.each([
    ['10000', 1_000_000n],
    ['10000abc', 1_000_000n],
    ['10000 rupees', 1_000_000n],
    ['10000.5', 1_000_050n],
    ['10000.', 1_000_000n],
    ['.5', 50n],
    ['10000.005', 1_000_001n],
    ['10000.0049999', 1_000_000n],
    ['10000.50.99', 1_000_050n],
    ['0010000', 1_000_000n],
    [' 10000', 1_000_000n],
    ['+10000', 1_000_000n],
    ['-10000', -1_000_000n],
    ['1e5', 100n],
    ['5,00,000', 500n],
    ['0x10', 0n],
    ['0.1', 10n],
    ['100000000000000.01', 10_000_000_000_000_001n],
  ])('reads %j as %s paise', (text, paise) => {
    expect(readAmount(text)).toBe(paise);
  });

  it.each(['', ' ', 'abc', 'a10000', '.', '-', '₹10000', '१०००', '１０', 'NaN', 'Infinity', '\u00a05'])(
    'finds no number at the beginning of %j',
    (text) => {
      expect(readAmount(text)).toBeUndefined();
    },
  );

  it.each([undefined, null, 10000, ['10000', '20000'], {}])(
    'finds no number in %j, which is no text',
    (value) => {
      expect(readAmount(value)).toBeUndefined();
    },
  );

  it('reads a number with too many digits as an amount above every limit', () => {
    expect(readAmount('9'.repeat(5_000))).toBeGreaterThan(10n ** 18n);
  });

  it('reads every amount in paise exactly, with any text after it', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 10n ** 16n }),
        fc.string().filter((tail) => !/^[0-9.]/.test(tail)),
        (paise, tail) => {
          const text = `${paise / 100n}.${String(paise % 100n).padStart(2, '0')}${tail}`;
          expect(readAmount(text)).toBe(paise);
        },
      ),
    );
  });
});
