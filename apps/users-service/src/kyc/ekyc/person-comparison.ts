import { matchNames } from '../name-matching/name-matching.js';
import { REVIEW_SCORE, STRONG_SCORE } from '../name-matching/scoring.js';
import type { DocumentPerson, ExpectedPerson } from './ekyc-providers.port.js';

/**
 * Returns whether a document belongs to the expected person. A full date of birth must be equal, and the name may differ as far as an
 * operator would look at it; many people share a year of birth, so beside a year alone the name must pass by itself.
 */
export function isSamePerson(expected: ExpectedPerson, { name, born }: DocumentPerson): boolean {
  const isFullDate = born.length === expected.dateOfBirth.length;
  const isBornThen = isFullDate ? born === expected.dateOfBirth : born === expected.dateOfBirth.slice(0, 4);
  return isBornThen && matchNames(expected.name, name).score >= (isFullDate ? REVIEW_SCORE : STRONG_SCORE);
}
