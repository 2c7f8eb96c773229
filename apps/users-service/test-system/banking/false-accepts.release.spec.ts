import { acceptedPairs, GIVEN_NAMES, strangers, SURNAMES } from '../../test/support/similar-names.js';

it('rejects every pair of 2.9 million strangers with similar names', () => {
  expect(acceptedPairs(GIVEN_NAMES, SURNAMES, strangers)).toEqual([]);
});
