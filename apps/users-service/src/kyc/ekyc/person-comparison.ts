import { matchNames } from '../name-matching/name-matching.js';
import { REVIEW_SCORE, STRONG_SCORE } from '../name-matching/scoring.js';
import type { DocumentPerson, ExpectedPerson } from './ekyc-providers.port.js';

/**
 * Returns whether a document belongs to the expected person. With an equal full date of birth a name in the review band
 * is enough; with only a year of birth, which many people share, the name must pass.
 */
export function isSamePerson(expected: ExpectedPerson, person: DocumentPerson): boolean {
  const [isFullDate, { name, born }] = [hasFullDate(person), person];
  const isBornThen = isFullDate ? born === expected.dateOfBirth : born === expected.dateOfBirth.slice(0, 4);
  const { score, reasons } = matchNames(expected.name, name);
  // only banks cut names: of twins, the name of one may begin with the name of the other
  const isWhole = !reasons.includes('NAME_CUT');
  return isBornThen && isWhole && score >= (isFullDate ? REVIEW_SCORE : STRONG_SCORE);
}

/** Whether a document has the full date of birth, not only the year, which namesakes may share. */
export const hasFullDate = ({ born }: DocumentPerson): boolean => born.length > 'YYYY'.length;
