import { indiaDateOf } from '@fd/contracts';

/** Look-ups at the registry that one user may cause within any 24 hours. */
export const MAX_LOOKUPS = 10;
export const LOOKUP_WINDOW_SECONDS = 86_400;

/** Whether a date of birth (YYYY-MM-DD) has come in India, where the holders live. */
export function isBorn(dateOfBirth: string, now: Date): boolean {
  return dateOfBirth <= indiaDateOf(now);
}
