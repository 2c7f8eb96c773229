import { type Person, personOf } from './person.js';

const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];

describe('the holder of a PAN', () => {
  it.each(LETTERS)('returns a surname that begins with the fifth letter: %s', (letter) => {
    const people = Array.from({ length: 200 }, (_, n) =>
      personOf(`ABCP${letter}${String(n).padStart(4, '0')}K`),
    );
    const isRight = ({ full, first, middle, last, father }: Person) =>
      last.startsWith(letter) &&
      full === [first, middle, last].filter(Boolean).join(' ') &&
      /^[A-Z]+( [A-Z]+){1,2}$/.test(full) &&
      new RegExp(`^[A-Z]+ ${last}$`).test(father);
    expect(people.filter((person) => !isRight(person))).toEqual([]);
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
