import { ago, inRupees, inSeconds, minutesLeft, readableAddress, readableTime, spoken } from './words.js';

const NOW = new Date('2026-11-21T12:00:00Z');
const before = (seconds: number): Date => new Date(NOW.getTime() - seconds * 1_000);

describe('words of the console', () => {
  it.each([
    [0, 'just now'],
    [30, '30 seconds ago'],
    [60, '1 minute ago'],
    [7_300, '2 hours ago'],
    [90_000, '20/11/2026'],
  ])('shows %i seconds as %s', (seconds, words) => {
    expect(ago(before(seconds), NOW)).toBe(words);
  });

  it('shows an instant with its date', () => {
    expect(readableTime(new Date(2028, 5, 9, 14, 5, 9).toISOString())).toBe('9 Jun 2028, 14:05:09');
  });

  it('says seconds with a singular for one', () => {
    expect([0, 1, 2].map(inSeconds)).toEqual(['0 seconds', '1 second', '2 seconds']);
  });

  it('rounds minutes up, with a singular for one', () => {
    expect(minutesLeft('2026-11-21T12:10:00Z', NOW)).toBe(10);
    expect(minutesLeft('2026-11-21T12:00:01Z', NOW)).toBe(1);
    expect(minutesLeft('2026-11-21T11:00:00Z', NOW)).toBe(1);
  });

  it('formats phones and keeps other addresses unchanged', () => {
    expect(readableAddress('919999900001')).toBe('+91 99999 00001');
    expect(readableAddress('234567812346')).toBe('234567812346');
    expect(readableAddress('asha@example.com')).toBe('asha@example.com');
  });

  it('groups rupees as in India', () => {
    expect(inRupees(1_234_567.5)).toBe('₹12,34,567.50');
  });

  it('turns tokens into words', () => {
    expect(spoken('PERSONAL_DETAILS')).toBe('Personal details');
  });
});
