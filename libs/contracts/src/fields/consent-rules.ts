import { ConsentErrors } from '@fd/errors';

const isAnswered = (value: unknown): boolean => value !== undefined && value !== null;

/** Rules of a consent, which must be true, with different errors for a missing, a non-boolean and a refused one. */
export const CONSENT_RULES = [
  [ConsentErrors.missing, isAnswered],
  [ConsentErrors.notBoolean, (value: unknown) => !isAnswered(value) || typeof value === 'boolean'],
  [ConsentErrors.refused, (value: unknown) => value !== false],
] as const;
