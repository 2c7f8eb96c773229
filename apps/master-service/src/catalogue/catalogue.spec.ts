import { MasterErrors } from '@fd/errors';
import { anIssuer } from '../../test/support/vehicles.js';
import { Catalogue } from './catalogue.js';

const A = anIssuer({
  issuerId: 'aaaaaaaa-0000-4000-8000-00000000000a',
  code: 'A',
  slug: 'a',
  activeIssuerRank: 2,
});
const B = anIssuer({
  issuerId: 'bbbbbbbb-0000-4000-8000-00000000000b',
  code: 'B',
  slug: 'b',
  activeIssuerRank: 1,
});
const C = anIssuer({
  issuerId: 'cccccccc-0000-4000-8000-00000000000c',
  code: 'C',
  slug: 'c',
  activeIssuerRank: 1,
});
const gone = anIssuer({
  issuerId: 'dddddddd-0000-4000-8000-00000000000d',
  code: 'D',
  slug: 'd',
  deletedAt: new Date(),
});

const catalogue = new Catalogue([A, C, gone, B]);

describe('Catalogue', () => {
  it('lists its issuers by rank and then by code', () => {
    expect(catalogue.issuers).toEqual([B, C, A]);
  });

  it('finds an issuer by case-insensitive id and by its exact code', () => {
    expect(catalogue.withId(A.issuerId.toUpperCase())).toBe(A);
    expect(catalogue.withCode('B')).toBe(B);
    expect(() => catalogue.withCode('b')).toThrow(MasterErrors.issuerUnknown.code);
  });

  it('finds no deleted issuer, and none named like a member of Object.prototype', () => {
    expect(catalogue.withId(gone.issuerId)).toBeUndefined();
    for (const code of ['D', 'constructor', '__proto__'])
      expect(() => catalogue.withCode(code)).toThrow(MasterErrors.issuerUnknown.code);
  });
});
