import fc from 'fast-check';
import { type QuoteSwitches, SWITCH_VALUES } from './convention.js';
import { parseDecimal } from './decimal.js';
import { Ratio } from './ratio.js';
import { roundToPaise, roundToUnits } from './rounding.js';

const { rounding: MODES } = SWITCH_VALUES;

describe('roundToUnits', () => {
  // value, places, then the result of each mode in the order half-up, floor, ceil, half-even
  it.each([
    ['0', 2, [0n, 0n, 0n, 0n]],
    ['1.23', 2, [123n, 123n, 123n, 123n]],
    ['0.004', 2, [0n, 0n, 1n, 0n]],
    ['0.005', 2, [1n, 0n, 1n, 0n]],
    ['0.006', 2, [1n, 0n, 1n, 1n]],
    ['0.015', 2, [2n, 1n, 2n, 2n]],
    ['0.505', 2, [51n, 50n, 51n, 50n]],
    ['0.50500000000000000001', 2, [51n, 50n, 51n, 51n]],
    ['0.50499999999999999999', 2, [50n, 50n, 51n, 50n]],
    ['2.5', 0, [3n, 2n, 3n, 2n]],
    ['3.5', 0, [4n, 3n, 4n, 4n]],
    ['0.4999', 0, [0n, 0n, 1n, 0n]],
  ])('rounds %s to %i places', (text, places, expected) => {
    const value = parseDecimal(text, 'value');
    expect(MODES).toEqual(['half-up', 'floor', 'ceil', 'half-even']);
    expect(MODES.map((mode) => roundToUnits(value, places, mode))).toEqual(expected);
  });

  it('stays within one unit, and within half a unit for the half modes', () => {
    const values = fc.tuple(fc.bigInt(0n, 10n ** 30n), fc.bigInt(1n, 10n ** 20n));
    fc.assert(
      fc.property(values, fc.constantFrom(...MODES), ([numerator, denominator], mode) => {
        const exact = Ratio.of(numerator, denominator);
        const off = Ratio.of(roundToUnits(exact, 2, mode), 100).minus(exact);
        const limits: Record<QuoteSwitches['rounding'], [number, number]> = {
          'half-up': [-5, 5],
          'half-even': [-5, 5],
          floor: [-10, 0],
          ceil: [0, 10],
        };
        const [low, high] = limits[mode];
        expect(off.compare(Ratio.of(low, 1000))).toBeGreaterThanOrEqual(0);
        expect(off.compare(Ratio.of(high, 1000))).toBeLessThanOrEqual(0);
      }),
    );
  });

  it('refuses negative amounts and places', () => {
    expect(() => roundToUnits(Ratio.of(-1, 3), 2, 'half-up')).toThrow(RangeError);
    expect(() => roundToUnits(Ratio.ONE, -1, 'half-up')).toThrow(RangeError);
  });
});

describe('roundToPaise', () => {
  it('counts whole rupees in paise too', () => {
    const rupees = parseDecimal('1234.567', 'rupees');
    expect(roundToPaise(rupees, { places: 2, rounding: 'half-up' })).toBe(123_457n);
    expect(roundToPaise(rupees, { places: 0, rounding: 'half-up' })).toBe(123_500n);
    expect(roundToPaise(rupees, { places: 0, rounding: 'floor' })).toBe(123_400n);
  });
});
