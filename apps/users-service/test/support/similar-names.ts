import { compareNames } from '../../src/kyc/name-matching/name-matching.js';
import { readName } from '../../src/kyc/name-matching/reading.js';
import { REVIEW_SCORE } from '../../src/kyc/name-matching/scoring.js';

/** Given names that differ slightly: by a letter, an ending, or the gender. */
export const GIVEN_NAMES = `
  Anita Sunita Sumita Vinita Kavita Savita Amita Amit Asha Usha Isha Nisha Disha Ramesh Suresh Mahesh Rajesh Rakesh
  Krishna Krishnan Krishnaveni Lakshmi Laxman Priyank Priyanka Harvinder Harjinder Maninder Manjinder
  Gurpreet Harpreet Narendra Nagendra Chandrika Chandrima Shivani Shivangi Rajkumar Rajkumari Ramkumar Rajeshwari
  Rakeshwari Deepak Deepika Deepa Rohan Rohit Arjun Arun Saurabh Saurav Akhil Aqil Himanshu Himanshi
  Kiran Karan Mohammed Fatima Narayanan
`
  .trim()
  .split(/\s+/);

/** Surnames, some of them similar. Aiyar and Chowdhury are left out: they compare as equal to two of these. */
export const SURNAMES = `
  Rao Reddy Sharma Varma Patil Patel Shah Sah Singh Kaur Kumar Devi Khan Khanna Gupta Gupte Iyer Iyengar Chaudhary
  Chatterjee Mukherjee Banerjee Das Dasgupta Sen Sengupta Roy Rai Nair Naidu Nayak Joshi Jadhav Yadav Mehta
  Mehra Desai Deshmukh Dhar Dar
`
  .trim()
  .split(/\s+/);

export interface Person {
  readonly given: string;
  readonly surname: string;
}

export const strangers = (one: Person, other: Person): boolean =>
  one.given !== other.given && one.surname !== other.surname;

/**
 * Compares all pairs of people that `arePair` selects.
 * @returns the pairs that reach the review score, which two different people must not
 */
export function acceptedPairs(
  givenNames: readonly string[],
  surnames: readonly string[],
  arePair: (one: Person, other: Person) => boolean,
): string[] {
  // parsed once per name, since there may be millions of pairs
  const people = givenNames.flatMap((given) =>
    surnames.map((surname) => ({ given, surname, name: readName(`${given} ${surname}`) })),
  );
  return people.flatMap((one, index) =>
    people
      .slice(index + 1)
      .filter((other) => arePair(one, other))
      .filter((other) => compareNames(one.name, other.name).score >= REVIEW_SCORE)
      .map((other) => `${one.given} ${one.surname} | ${other.given} ${other.surname}`),
  );
}

/**
 * Compares each name as a bank writes it with the names of all others of the family, whose second name is Kumar.
 * @returns the pairs that reach the score, which two different people must not
 */
export function acceptedForms(
  givenNames: readonly string[],
  surnames: readonly string[],
  atBank: (person: Person) => string,
  score: number,
): string[] {
  return surnames.flatMap((surname) => {
    const family = givenNames.map((given) => {
      const [form, name] = [atBank({ given, surname }), `${given} Kumar ${surname}`];
      return { given, form, name, readForm: readName(form), readName: readName(name) };
    });
    return family.flatMap((one) =>
      family
        .filter((other) => other.given !== one.given)
        .filter((other) => compareNames(one.readForm, other.readName).score >= score)
        .map((other) => `${one.form} | ${other.name}`),
    );
  });
}
