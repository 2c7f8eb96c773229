import fc from 'fast-check';
import { indiaDateOf, isCalendarDate } from './calendar-date.js';

const dates = fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true });

describe('isCalendarDate and indiaDateOf', () => {
  it('accepts every day', () => {
    fc.assert(fc.property(dates, (date) => isCalendarDate(date.toISOString().slice(0, 10))));
  });

  it('refuses days beyond the end of their month', () => {
    fc.assert(
      fc.property(dates, fc.integer({ min: 1, max: 31 }), (date, day) => {
        const month = date.toISOString().slice(0, 7);
        const length = new Date(Date.UTC(2000, 0, 1));
        length.setUTCFullYear(date.getUTCFullYear(), date.getUTCMonth() + 1, 0);
        expect(isCalendarDate(`${month}-${String(day).padStart(2, '0')}`)).toBe(day <= length.getUTCDate());
      }),
    );
  });

  it.each([
    undefined,
    null,
    '',
    0,
    true,
    {},
    ['1990-04-21'],
    '1990-4-21',
    '21-04-1990',
    '1990/04/21',
    '1990-04-21 ',
    '1990-04-21T',
    '1990-00-01',
    '1990-13-01',
    '1990-01-00',
    '1990-01-32',
    '0000-01-01',
    '１９９０-04-21',
    '-990-04-21',
  ])('refuses %j', (value) => {
    expect(isCalendarDate(value)).toBe(false);
  });

  it.each([
    ['2026-01-01T18:29:59.999Z', '2026-01-01'],
    ['2026-01-01T18:30:00.000Z', '2026-01-02'],
    ['2024-02-28T18:30:00.000Z', '2024-02-29'],
  ])('converts %s to the date %s in India', (instant, date) => {
    expect(indiaDateOf(new Date(instant))).toBe(date);
  });
});
