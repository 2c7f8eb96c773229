import {
  acceptedForms,
  acceptedPairs,
  GIVEN_NAMES,
  type Person,
  strangers,
  SURNAMES,
} from '../../../test/support/similar-names.js';
import { REVIEW_SCORE, STRONG_SCORE } from './scoring.js';

/** Every second one: all take twelve seconds, and are compared by the tests of a release. */
const SOME_GIVEN_NAMES = GIVEN_NAMES.filter((_, index) => index % 2 === 0);
const FAMILIES = ['Rao', 'Deshmukh', 'Zala', 'Singh'];

describe('names of different people', () => {
  it('refuses names with another given name and the same surname', () => {
    expect(acceptedPairs(SOME_GIVEN_NAMES, SURNAMES, (one, other) => one.surname === other.surname)).toEqual(
      [],
    );
  });

  it('refuses names with the same given name and another surname', () => {
    expect(acceptedPairs(SOME_GIVEN_NAMES, SURNAMES, (one, other) => one.given === other.given)).toEqual([]);
  });

  it('refuses names with another given name and another surname, in a sample of all pairs', () => {
    const sample = GIVEN_NAMES.filter((_, index) => index % 10 === 0);
    expect(acceptedPairs(sample, SURNAMES, strangers)).toEqual([]);
  });

  it.each<[form: string, atBank: (person: Person) => string]>([
    ['a title and Kr', ({ given, surname }) => `SH ${given} KR ${surname}`],
    ['Kr at the end', ({ given }) => `${given} KR`],
    ['an initial', ({ given, surname }) => `${given} K ${surname}`],
    ['a field of 20 characters', ({ given, surname }) => `${given} Kumar ${surname}`.slice(0, 20)],
    ['the surname first, in 20 characters', ({ given, surname }) => `${surname} ${given} Kumar`.slice(0, 20)],
  ])('refuses the account of a brother or sister at a bank that writes %s', (_form, atBank) => {
    expect(acceptedForms(GIVEN_NAMES, FAMILIES, atBank, REVIEW_SCORE)).toEqual([]);
  });

  it.each<[form: string, atBank: (person: Person) => string]>([
    ['joins the words', ({ given, surname }) => `${given}kumar ${surname}`],
    ['omits the spaces', ({ given, surname }) => `${given}kumar${surname}`],
  ])('passes no account of a brother or sister without a review at a bank that %s', (_form, atBank) => {
    expect(acceptedForms(GIVEN_NAMES, FAMILIES, atBank, STRONG_SCORE)).toEqual([]);
  });
});
