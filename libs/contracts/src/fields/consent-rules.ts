import { ConsentErrors, type ErrorDefinition } from '@fd/errors';

const isAnswered = (value: unknown): boolean => value !== undefined && value !== null;

/** Rules of a consent, which must be true, with different errors for a missing, a non-boolean and a refused one. */
export const CONSENT_RULES = [
  [ConsentErrors.missing, isAnswered],
  [ConsentErrors.notBoolean, (value: unknown) => !isAnswered(value) || typeof value === 'boolean'],
  [ConsentErrors.refused, (value: unknown) => value !== false],
] as const;

/** Why a value is not a consent; undefined when it is. */
export function consentRefusal(given: unknown): ErrorDefinition | undefined {
  return CONSENT_RULES.find(([, isGood]) => !isGood(given))?.[0];
}
