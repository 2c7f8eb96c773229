/** Calls a minute for a user, over all replicas. */
export const CALLS_PER_MINUTE = 30;

/**
 * Verifications that one user may begin within any 24 hours: of new accounts, and of accounts that a bank has refused.
 * Each sends a penny, costs money, and reveals something about an account that may belong to another person.
 */
export const MAX_CHECKS_PER_DAY = 60;
