import fc from 'fast-check';
import {
  addDays,
  addMonths,
  civilDate,
  compareCivilDates,
  completeMonths,
  daysBetween,
  formatCivilDate,
  isCivilDateText,
  parseCivilDate,
} from './civil-date.js';

const dates = fc.integer({ min: 0, max: 60_000 }).map((days) => addDays(civilDate(1990, 1, 1), days));

describe('parseCivilDate', () => {
  it.each(['2025-01-15', '2024-02-29', '2000-02-29', '9999-12-31'])('reads %s and writes it back', (text) => {
    expect(formatCivilDate(parseCivilDate(text))).toBe(text);
    expect(isCivilDateText(text)).toBe(true);
  });

  it.each([
    '2025-02-29',
    '1900-02-29',
    '2100-02-29',
    '2025-04-31',
    '2025-13-01',
    '2025-00-10',
    '2025-01-00',
    '0999-01-01',
    '2025-1-15',
    '15-01-2025',
    '2025-01-15T00:00:00Z',
    '2025-01-15\n',
    ' 2025-01-15',
    '',
  ])('refuses %j', (text) => {
    expect(() => parseCivilDate(text)).toThrow(RangeError);
    expect(isCivilDateText(text)).toBe(false);
  });

  it('refuses parts of no existing date', () => {
    expect(() => civilDate(2025, 6, 1.5)).toThrow(RangeError);
    expect(() => civilDate(Number.NaN, 6, 1)).toThrow(RangeError);
  });
});

describe('addDays and daysBetween', () => {
  it.each([
    ['2025-01-15', 730, '2027-01-15'],
    ['2028-02-28', 1, '2028-02-29'],
    ['2027-02-28', 1, '2027-03-01'],
    ['2099-12-31', 60, '2100-03-01'],
    ['2025-03-01', -1, '2025-02-28'],
  ])('adds to %s %i days: %s', (from, days, to) => {
    expect(formatCivilDate(addDays(parseCivilDate(from), days))).toBe(to);
    expect(daysBetween(parseCivilDate(from), parseCivilDate(to))).toBe(days);
  });

  it('returns to the same date when days are added and subtracted', () => {
    fc.assert(
      fc.property(dates, fc.integer({ min: -4000, max: 4000 }), (date, days) => {
        const moved = addDays(date, days);
        expect(daysBetween(date, moved)).toBe(days);
        expect(Math.sign(compareCivilDates(moved, date))).toBe(Math.sign(days));
        expect(formatCivilDate(moved) < formatCivilDate(date)).toBe(days < 0);
      }),
    );
  });

  it('refuses fractions of days and dates after the year 9999', () => {
    expect(() => addDays(civilDate(2025, 1, 1), 0.5)).toThrow(RangeError);
    expect(() => addDays(civilDate(9999, 12, 31), 1)).toThrow(RangeError);
  });
});

describe('addMonths', () => {
  it.each([
    ['2025-01-31', 1, '2025-02-28'],
    ['2025-01-31', 2, '2025-03-31'],
    ['2025-01-31', 3, '2025-04-30'],
    ['2024-01-31', 1, '2024-02-29'],
    ['2025-02-28', 1, '2025-03-28'],
    ['2024-02-29', 12, '2025-02-28'],
    ['2024-02-29', 48, '2028-02-29'],
    ['2025-11-30', 3, '2026-02-28'],
    ['2025-12-15', 1, '2026-01-15'],
    ['2025-08-31', 6, '2026-02-28'],
    ['2096-02-29', 48, '2100-02-28'],
    ['2025-03-31', -1, '2025-02-28'],
    ['2025-01-15', -13, '2023-12-15'],
    ['2025-01-15', 0, '2025-01-15'],
  ])('moves %s by %i months to %s', (anchor, months, moved) => {
    expect(formatCivilDate(addMonths(parseCivilDate(anchor), months))).toBe(moved);
  });

  it('refuses fractions of months', () => {
    expect(() => addMonths(civilDate(2025, 1, 1), 0.5)).toThrow(RangeError);
  });
});

describe('completeMonths', () => {
  it.each([
    ['2025-01-31', '2025-02-27', 0],
    ['2025-01-31', '2025-02-28', 1],
    ['2025-01-31', '2025-03-30', 1],
    ['2025-01-31', '2025-03-31', 2],
    ['2025-01-15', '2025-01-15', 0],
    ['2025-01-15', '2025-01-14', -1],
    ['2025-01-15', '2027-01-14', 23],
  ])('counts from %s to %s: %i', (anchor, date, months) => {
    expect(completeMonths(parseCivilDate(anchor), parseCivilDate(date))).toBe(months);
  });

  it('returns the largest number of months that does not pass the date', () => {
    fc.assert(
      fc.property(dates, dates, (anchor, date) => {
        const months = completeMonths(anchor, date);
        expect(compareCivilDates(addMonths(anchor, months), date)).toBeLessThanOrEqual(0);
        expect(compareCivilDates(addMonths(anchor, months + 1), date)).toBeGreaterThan(0);
      }),
    );
  });
});
