import {
  acceptedPairs,
  GIVEN_NAMES,
  type Person,
  strangers,
  SURNAMES,
} from '../../test/support/similar-names.js';

it.each<[who: string, isCompared: (one: Person, other: Person) => boolean]>([
  ['2.9 million strangers', strangers],
  ['people with the same surname', (one, other) => one.surname === other.surname],
  ['people with the same given name', (one, other) => one.given === other.given],
])('rejects every pair of %s with similar names', (_who, isCompared) => {
  expect(acceptedPairs(GIVEN_NAMES, SURNAMES, isCompared)).toEqual([]);
});
