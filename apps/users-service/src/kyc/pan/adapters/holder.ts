import { z } from 'zod';
import type { PanNames } from '../pan-registry.port.js';

/** State of the Aadhaar link; vendors' spellings differ in case and separators. Missing: not applicable. */
export const seedingStatus = <Words extends Record<string, 'LINKED' | 'NOT_LINKED' | 'NA'>>(words: Words) =>
  z
    .string()
    .nullish()
    .transform((text, context) => {
      const word = (text ?? '').trim().toUpperCase().replace(/[ -]/g, '_') || 'NA';
      if (Object.hasOwn(words, word)) return words[word]!;
      context.addIssue('unknown word');
      return z.NEVER;
    });

export function splitName(fullName: string): Pick<PanNames, 'firstName' | 'middleName' | 'lastName'> {
  const [firstName = fullName, ...rest] = fullName.split(/\s+/);
  const lastName = rest.pop() ?? null;
  return { firstName, middleName: rest.join(' ') || null, lastName };
}

/** The fourth letter of a PAN is the type of its holder. */
const isPersonsPan = (pan: string): boolean => pan.charAt(3) === 'P';

/**
 * Returns the kind of holder for a vendor's type: `person`, also without a type; `other`; or `contradiction` if only the
 * type denies that the holder is a person, so that a vendor's new word for a person refuses no one.
 */
export function holderKind(pan: string, word: string | null): 'person' | 'other' | 'contradiction' {
  if (word === null || /^(individual|person)$/i.test(word)) return 'person';
  return isPersonsPan(pan) ? 'contradiction' : 'other';
}
