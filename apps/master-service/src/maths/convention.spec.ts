import fc from 'fast-check';
import { addDays, civilDate, parseCivilDate } from '../dates/civil-date.js';
import { SWITCH_VALUES, yearFraction } from './convention.js';
import { Ratio } from './ratio.js';

describe('yearFraction', () => {
  it.each([
    ['2025-01-15', '2025-04-15', [90, 365], [90, 365]],
    ['2028-01-01', '2029-01-01', [366, 365], [1, 1]],
    ['2027-06-01', '2028-06-01', [366, 365], [214 * 366 + 152 * 365, 365 * 366]],
    ['2027-12-31', '2028-01-01', [1, 365], [1, 365]],
    ['2028-12-31', '2029-01-01', [1, 365], [1, 366]],
    ['2023-07-01', '2025-07-01', [731, 365], [184 + 181 + 365, 365]],
    ['2100-01-01', '2101-01-01', [1, 1], [1, 1]],
    ['2028-02-29', '2028-02-29', [0, 1], [0, 1]],
    ['9996-01-01', '9999-12-31', [1460, 365], [365 + 365 + 365 + 364, 365]],
  ] as const)('counts the years from %s to %s', (from, to, act365, actAct) => {
    const period = [parseCivilDate(from), parseCivilDate(to)] as const;
    expect(yearFraction('ACT/365', ...period).equals(Ratio.of(act365[0], act365[1]))).toBe(true);
    expect(yearFraction('ACT/ACT', ...period).equals(Ratio.of(actAct[0], actAct[1]))).toBe(true);
  });

  it('adds up over consecutive periods', () => {
    const days = fc.nat(3000);
    fc.assert(
      fc.property(
        days,
        days,
        days,
        fc.constantFrom(...SWITCH_VALUES.dayCount),
        (offset, first, second, dayCount) => {
          const a = addDays(civilDate(2023, 3, 1), offset);
          const b = addDays(a, first);
          const c = addDays(b, second);
          const sum = yearFraction(dayCount, a, b).plus(yearFraction(dayCount, b, c));
          expect(sum.equals(yearFraction(dayCount, a, c))).toBe(true);
        },
      ),
    );
  });

  it('refuses a period that ends before it starts', () => {
    expect(() => yearFraction('ACT/365', civilDate(2025, 1, 2), civilDate(2025, 1, 1))).toThrow(RangeError);
  });
});
