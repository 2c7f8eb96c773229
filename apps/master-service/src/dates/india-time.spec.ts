import fc from 'fast-check';
import { formatIndiaTime } from './india-time.js';

describe('formatIndiaTime', () => {
  it.each([
    ['2025-03-31T18:30:00Z', '2025-04-01T00:00:00+05:30'],
    ['2025-04-01T00:00:00.250Z', '2025-04-01T05:30:00.250+05:30'],
    ['2024-02-28T18:29:59Z', '2024-02-28T23:59:59+05:30'],
  ])('writes %s as %s', (instant, text) => {
    expect(formatIndiaTime(new Date(instant))).toBe(text);
  });

  it('formats a text of the same instant', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date('1900-01-01'), max: new Date('2199-12-31'), noInvalidDate: true }),
        (instant) => {
          expect(new Date(formatIndiaTime(instant))).toEqual(instant);
        },
      ),
    );
  });
});
