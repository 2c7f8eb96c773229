import { isPersonName, tidyName } from './person-name.js';

describe('a name of a person', () => {
  it.each([
    'Asha Rao',
    'Li',
    "D'Souza",
    'D\u2019Souza',
    'S. V. Krishnamurthy',
    'Anne-Marie',
    'J.P.',
    '  Asha   Rao ',
    'आशा राव',
    'Zoë',
    'Zoe\u0308',
    'a'.repeat(100),
  ])('accepts %j', (name) => {
    expect(isPersonName(name)).toBe(true);
  });

  it.each([
    undefined,
    null,
    '',
    ' ',
    'A',
    ' A ',
    'a'.repeat(101),
    `a${' '.repeat(300)}b`,
    'Asha2',
    '2 Asha',
    'Asha@Rao',
    'Asha_Rao',
    'Asha, Rao',
    '.',
    '--',
    "' OR 1=1 --",
    '<b>Asha</b>',
    'Asha\u0000Rao',
    'Asha\ud800',
    'Asha 😀',
    'Asha\u202eRao',
    1,
    true,
    [],
    ['Asha Rao'],
    {},
  ])('refuses %j', (name) => {
    expect(isPersonName(name)).toBe(false);
  });

  it.each([
    ['  Asha   Rao ', 'Asha Rao'],
    ['Asha\t\nRao', 'Asha Rao'],
    ['D\u2019Souza', "D'Souza"],
    ['Zoe\u0308', 'Zoë'],
    ['asha RAO', 'asha RAO'],
  ])('stores %j as %j', (given, kept) => {
    expect(tidyName(given)).toBe(kept);
  });
});
