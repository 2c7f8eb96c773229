import { acceptedPairs, GIVEN_NAMES, strangers, SURNAMES } from '../../../test/support/similar-names.js';

describe('names of different people', () => {
  it('refuses names with another given name and the same surname', () => {
    expect(acceptedPairs(GIVEN_NAMES, SURNAMES, (one, other) => one.surname === other.surname)).toEqual([]);
  });

  it('refuses names with the same given name and another surname', () => {
    expect(acceptedPairs(GIVEN_NAMES, SURNAMES, (one, other) => one.given === other.given)).toEqual([]);
  });

  it('refuses names with another given name and another surname, in a sample of all pairs', () => {
    const sample = GIVEN_NAMES.filter((_, index) => index % 10 === 0);
    expect(acceptedPairs(sample, SURNAMES, strangers)).toEqual([]);
  });
});
