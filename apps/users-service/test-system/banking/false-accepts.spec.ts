import { acceptedStrangers, GIVEN_NAMES, SURNAMES } from '../../test/support/similar-names.js';

it('rejects every pair of 2.9 million strangers with similar names', () => {
  expect(acceptedStrangers(GIVEN_NAMES, SURNAMES)).toEqual([]);
});
