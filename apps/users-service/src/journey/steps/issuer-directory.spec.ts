import { IssuerErrors } from '@fd/errors';
import { ISSUERS } from '../../config/index.js';
import { IssuerDirectory } from './current-issuer.service.js';

const directory = new IssuerDirectory({ issuers: ISSUERS, isStrict: false });

describe('IssuerDirectory', () => {
  it.each(directory.all)('finds $slug by slug and by code', (issuer) => {
    expect(directory.bySlug(issuer.slug)).toBe(issuer);
    expect(directory.byCode(issuer.code)).toBe(issuer);
  });

  it.each(directory.all)('suggests slug and code for another name of $slug', ({ slug, code, id }) => {
    for (const name of [code, code.toLowerCase(), slug.toUpperCase(), id]) {
      expect(() => directory.bySlug(name)).toThrow(
        expect.objectContaining({ refusals: [expect.objectContaining({ hint: `Did you mean ${slug}?` })] }),
      );
    }
    expect(() => directory.byCode(slug)).toThrow(
      expect.objectContaining({ refusals: [expect.objectContaining({ hint: `Did you mean ${code}?` })] }),
    );
  });

  it.each(['nobody', '', 'ARAVFIN', '__proto__', 'constructor'])('rejects the unknown slug %j', (slug) => {
    expect(() => directory.bySlug(slug)).toThrow(IssuerErrors.unknown.code);
  });
});
