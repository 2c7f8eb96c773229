import { REVIEW_SCORE, type NameMatch } from './name-match.table.js';
import { compareNames, matchNames, readPersonName } from './name-matching.js';

/** Given names that differ in little: one letter, an ending, the gender. */
const GIVEN_NAMES = `
  Anita Sunita Sumita Vinita Kavita Savita Amita Amit Asha Usha Isha Nisha Disha Ramesh Suresh Mahesh Rajesh Rakesh
  Krishna Krishnan Krishnaveni Lakshmi Laxman Priyank Priyanka Harvinder Harjinder Maninder Manjinder
  Gurpreet Harpreet Narendra Nagendra Chandrika Chandrima Shivani Shivangi Rajkumar Rajkumari Ramkumar Rajeshwari
  Rakeshwari Deepak Deepika Deepa Rohan Rohit Arjun Arun Saurabh Saurav Akhil Aqil Himanshu Himanshi
  Kiran Karan Mohammed Fatima Narayanan
`
  .trim()
  .split(/\s+/);

/** Surnames, some of them close to each other; Aiyar and Chowdhury would be the same as two of these. */
const SURNAMES = `
  Rao Reddy Sharma Varma Patil Patel Shah Sah Singh Kaur Kumar Devi Khan Khanna Gupta Gupte Iyer Iyengar Chaudhary
  Chatterjee Mukherjee Banerjee Das Dasgupta Sen Sengupta Roy Rai Nair Naidu Nayak Joshi Jadhav Yadav Mehta
  Mehra Desai Deshmukh Dhar Dar
`
  .trim()
  .split(/\s+/);

const isAccepted = (match: NameMatch): boolean => match.score >= REVIEW_SCORE;

function pairsOf<T>(items: readonly T[]): (readonly [T, T])[] {
  return items.flatMap((one, index) => items.slice(index + 1).map((other) => [one, other] as const));
}

const acceptedBy = (pairs: Iterable<readonly [string, string]>): string[] =>
  [...pairs].filter(([a, b]) => isAccepted(matchNames(a, b))).map((pair) => pair.join(' | '));

describe('names of different people', () => {
  it('are refused with another given name and the same surname', () => {
    const pairs = pairsOf(GIVEN_NAMES).flatMap(([x, y]) =>
      SURNAMES.map((surname) => [`${x} ${surname}`, `${y} ${surname}`] as const),
    );
    expect(acceptedBy(pairs)).toEqual([]);
  });

  it('are refused with the same given name and another surname', () => {
    const pairs = pairsOf(SURNAMES).flatMap(([x, y]) =>
      GIVEN_NAMES.map((given) => [`${given} ${x}`, `${given} ${y}`] as const),
    );
    expect(acceptedBy(pairs)).toEqual([]);
  });

  it('are refused with another given name and another surname, each with each', () => {
    // millions of pairs, so each name is read once
    const people = GIVEN_NAMES.flatMap((given) =>
      SURNAMES.map((surname) => ({ given, surname, name: readPersonName(`${given} ${surname}`) })),
    );
    const accepted: string[] = [];
    people.forEach((one, index) => {
      for (const other of people.slice(index + 1)) {
        if (one.given === other.given || one.surname === other.surname) continue;
        if (!isAccepted(compareNames(one.name, other.name))) continue;
        accepted.push(`${one.given} ${one.surname} | ${other.given} ${other.surname}`);
      }
    });
    expect(accepted).toEqual([]);
  });
});
