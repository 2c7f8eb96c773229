import { ConsentErrors, type ErrorDefinition } from '@fd/errors';

const isAnswered = (value: unknown): boolean => value !== undefined && value !== null;

/** Rules of a consent, of which only true is one: missing, no boolean and refused are told apart. */
export const CONSENT_RULES = [
  [ConsentErrors.missing, isAnswered],
  [ConsentErrors.notBoolean, (value: unknown) => !isAnswered(value) || typeof value === 'boolean'],
  [ConsentErrors.refused, (value: unknown) => value !== false],
] as const;

/** Why an answer to the question for consent does not count; undefined when it does. */
export function consentRefusal(given: unknown): ErrorDefinition | undefined {
  return CONSENT_RULES.find(([, isGood]) => !isGood(given))?.[0];
}
