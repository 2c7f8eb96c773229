import { personOf } from './person.js';

const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];

describe('the holder of a PAN', () => {
  it.each(LETTERS)('returns a surname that begins with the fifth letter: %s', (letter) => {
    for (let number = 0; number < 200; number++) {
      const { full, first, middle, last, father } = personOf(
        `ABCP${letter}${String(number).padStart(4, '0')}K`,
      );
      expect(last.charAt(0)).toBe(letter);
      expect(full).toBe([first, middle, last].filter(Boolean).join(' '));
      expect(full).toMatch(/^[A-Z]+( [A-Z]+){1,2}$/);
      expect(father).toMatch(new RegExp(`^[A-Z]+ ${last}$`));
    }
  });

  it('returns the same holder for a PAN, and others for other PANs', () => {
    expect(personOf('ABCPR1234K')).toEqual(personOf('ABCPR1234K'));
    const names = Array.from({ length: 200 }, (_, n) => personOf(`ABCPR${1_000 + n}K`).full);
    expect(new Set(names).size).toBeGreaterThan(100);
  });

  it('returns holders with and without a middle name', () => {
    const middles = Array.from({ length: 200 }, (_, n) => personOf(`ABCPR${1_000 + n}K`).middle);
    expect(middles).toContain(null);
    expect(middles.some((middle) => middle !== null)).toBe(true);
  });
});
