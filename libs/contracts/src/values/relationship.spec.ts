import { parseRelationship, RELATIONSHIPS } from './relationship.js';

describe('a relationship', () => {
  it.each(RELATIONSHIPS.map((token) => [token]))('reads %s in any case and with any separator', (token) => {
    const spellings = [
      token,
      token.toLowerCase(),
      token.charAt(0) + token.slice(1).toLowerCase(),
      token.replaceAll('_', ' '),
      token.replaceAll('_', '-').toLowerCase(),
      token.replaceAll('_', ''),
      ` ${token} `,
    ];
    expect(spellings.map(parseRelationship)).toEqual(spellings.map(() => token));
  });

  it.each([
    ['step-father', 'STEPFATHER'],
    ['Mother-in-law', 'MOTHER_IN_LAW'],
    ['grand daughter', 'GRANDDAUGHTER'],
    ['Legal  Guardian', 'LEGAL_GUARDIAN'],
  ])('reads %j as %s', (given, token) => {
    expect(parseRelationship(given)).toBe(token);
  });

  it.each([
    undefined,
    null,
    '',
    ' ',
    '-',
    'PET',
    'FATHERS',
    'FATHER,MOTHER',
    'FATHER\u0000',
    'constructor',
    '__proto__',
    'toString',
    'F'.repeat(100),
    `FATHER${' '.repeat(100)}`,
    1,
    true,
    ['FATHER'],
    {},
  ])('refuses %j', (given) => {
    expect(parseRelationship(given)).toBeUndefined();
  });
});
