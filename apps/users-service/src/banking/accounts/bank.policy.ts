/** Calls a minute for a user, over all replicas. */
export const CALLS_PER_MINUTE = 30;

/**
 * Verifications that one user may begin within any 24 hours: of new accounts, and of accounts that a bank has refused.
 * Each sends a penny, costs money, and tells something of an account that may be a stranger's.
 */
export const MAX_CHECKS_PER_DAY = 60;

/** How long whoever works on a row has it to himself: longer than the tries of one call to a party may take. */
export const LEASE_SECONDS = 5;

/** The call that made a row due works on it; after this the worker takes it to be dead. */
export const HAND_OVER_SECONDS = 3;

/**
 * For how long a bank's or an issuer's "no" is repeated without asking again: calls that ran side by side get one
 * answer, and a person who had the account unblocked soon gets a new one.
 */
export const REFUSAL_SECONDS = 30;

/** After how long without a result something is given up. */
export const GIVE_UP_SECONDS = 86_400;

/** A call begins nothing outside with less time than this left: the worker does. */
export const MIN_CALL_MS = 700;

/** Pause between two looks at a row that somebody else works on. */
export const LOOK_AGAIN_MS = 50;

const FIRST_RETRY_SECONDS = 10;
const LAST_RETRY_SECONDS = 900;
const LAST_POLL_SECONDS = 60;
const POLL_GROWTH = 1.5;

/** First pause between two polls, in seconds: a bank takes its time, an issuer's core system hardly any. */
export const FIRST_POLL_SECONDS = { bank: 1, issuer: 0.15 } as const;

/**
 * Seconds until a party that failed is asked again.
 * @param tries failures in a row before this one
 * @param random from 0 to 1
 */
export function retrySeconds(tries: number, random: number): number {
  // the exponent is bounded, or it would reach infinity long before the day is over
  const longest = Math.min(LAST_RETRY_SECONDS, FIRST_RETRY_SECONDS * 2 ** Math.min(tries, 10));
  return longest * (0.5 + random / 2);
}

/**
 * Seconds until a party that is at work is polled again.
 * @param polls before this one
 * @param random from 0 to 1
 */
export function pollSeconds(party: keyof typeof FIRST_POLL_SECONDS, polls: number, random: number): number {
  const longest = Math.min(LAST_POLL_SECONDS, FIRST_POLL_SECONDS[party] * POLL_GROWTH ** Math.min(polls, 20));
  return longest * (0.8 + random / 5);
}
