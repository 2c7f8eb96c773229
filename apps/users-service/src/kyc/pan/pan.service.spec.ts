import { isBorn } from './pan.service.js';

describe('a date of birth', () => {
  it.each([
    ['2026-01-01', '2026-01-01T18:29:59.999Z', true],
    ['2026-01-02', '2026-01-01T18:29:59.999Z', false],
    ['2026-01-02', '2026-01-01T18:30:00.000Z', true],
    ['2026-01-01', '2025-12-31T18:30:00.000Z', true],
    ['2026-01-01', '2025-12-31T18:29:59.999Z', false],
    ['0001-01-01', '2026-01-01T00:00:00.000Z', true],
    ['9999-12-31', '2026-01-01T00:00:00.000Z', false],
  ])('%s has come in India at %s: %s', (dateOfBirth, now, isThere) => {
    expect(isBorn(dateOfBirth, new Date(now))).toBe(isThere);
  });
});
