import { matchNames } from '../name-matching/name-matching.js';
import type { NameMatch } from '../name-matching/scoring.js';

/** The names that a holder's name is compared with. */
export interface KnownNames {
  readonly panName: string | undefined;
  readonly nameAtBank: string | undefined;
}

/** The weaker of the comparisons decides; undefined when there is nothing to compare with. */
export function matchHolder(holderName: string, { panName, nameAtBank }: KnownNames): NameMatch | undefined {
  return [panName, nameAtBank]
    .filter((name) => name !== undefined)
    .map((name) => matchNames(holderName, name))
    .sort((a, b) => a.score - b.score)[0];
}

export const isMismatch = ({ band }: NameMatch): boolean => band === 'MISMATCH';
