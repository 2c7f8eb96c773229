import { isMinor } from './nominee.js';

describe('isMinor', () => {
  it.each([
    ['2008-11-22', '2026-11-21', true],
    ['2008-11-21', '2026-11-21', false],
    ['2008-11-20', '2026-11-21', false],
    ['2008-12-31', '2026-12-30', true],
    ['2008-12-31', '2026-12-31', false],
    ['2009-01-01', '2026-12-31', true],
    ['2026-11-21', '2026-11-21', true],
    ['1900-01-01', '2026-11-21', false],
    // born on a leap day: of age on the day after the last of February
    ['2008-02-29', '2026-02-28', true],
    ['2008-02-29', '2026-03-01', false],
  ])('judges whether a person born on %s is a minor on %s: %s', (dob, today, isUnder) => {
    expect(isMinor(dob, today)).toBe(isUnder);
  });
});
