import { IssuerDirectory } from '../../journey/index.js';
import { ISSUERS } from '../../config/index.js';
import { ASKED_BY_ALL, askedBy, DetailsValidator, personalDetailsSchema } from './details-validator.js';
import { DECLARATION_CODES, DETAIL_FIELD_NAMES } from './details.table.js';

const directory = new IssuerDirectory({ issuers: ISSUERS, isStrict: false });

describe('the required details of issuers', () => {
  it('follows the tables for every issuer', () => {
    for (const issuer of directory.all) {
      const { fields, declarations } = askedBy(issuer);
      expect([...fields].sort()).toEqual([...issuer.personal_details.required].sort());
      expect([...declarations].sort()).toEqual([...issuer.personal_details.declarations].sort());
    }
  });

  it('contains the common requirements without an issuer', () => {
    const asked = directory.all.map(askedBy);
    const byAll = (names: readonly string[], of: 'fields' | 'declarations') =>
      names.filter((name) => asked.every((one) => (one[of] as readonly string[]).includes(name)));
    expect(ASKED_BY_ALL).toEqual({
      fields: byAll(DETAIL_FIELD_NAMES, 'fields'),
      declarations: byAll(DECLARATION_CODES, 'declarations'),
    });
  });

  it.each([
    ['a field', { required: ['shoe_size'], declarations: [] }],
    ['a declaration', { required: ['gender'], declarations: ['OBEDIENCE'] }],
  ])('refuses to start with %s that no table describes', (_name, personal_details) => {
    const issuer = { ...directory.all[0]!, personal_details };
    expect(() => new DetailsValidator({ all: [issuer] } as unknown as IssuerDirectory)).toThrow(
      'aravalli asks for unknown details',
    );
  });

  it('describes the required details by a JSON schema', () => {
    for (const issuer of directory.all) {
      const schema = personalDetailsSchema(issuer) as { properties: object; required: string[] };
      const names = [...issuer.personal_details.required, 'declarations'].sort();
      expect(Object.keys(schema.properties).sort()).toEqual(names);
      expect([...schema.required].sort()).toEqual(names);
    }
  });
});
