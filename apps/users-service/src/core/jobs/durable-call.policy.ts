/** How long a lease lasts: longer than the tries of one call to a provider may take. */
export const LEASE_SECONDS = 5;

/** The request that makes a row due works on it; after this the worker takes that request to be dead. */
export const HAND_OVER_SECONDS = 3;

/**
 * How long a provider's refusal is repeated without asking again: parallel requests get one answer, and a person
 * who has removed its cause soon gets a new one.
 */
export const REFUSAL_SECONDS = 30;

/** A call without a result for this long is given up. */
export const GIVE_UP_SECONDS = 86_400;

/** A request with less time left sends nothing: the worker does. */
export const MIN_CALL_MS = 700;

/** Pause between two looks at a row that another request or replica works on. */
export const LOOK_AGAIN_MS = 50;

/** Rows of one kind in a round: fewer than one provider takes at once, which leaves room for requests. */
export const ROUND_ROWS = 10;

/** Pause after a defect, which does not go away by itself. */
export const DEFECT_SECONDS = 60;

const FIRST_RETRY_SECONDS = 10;
const LAST_RETRY_SECONDS = 900;
const LAST_POLL_SECONDS = 60;
const POLL_GROWTH = 1.5;

/**
 * Seconds until a provider that failed is asked again.
 * @param tries failures in a row before this one
 * @param random from 0 to 1
 */
export function retrySeconds(tries: number, random: number): number {
  // the exponent is bounded, or it would reach infinity long before the day is over
  const longest = Math.min(LAST_RETRY_SECONDS, FIRST_RETRY_SECONDS * 2 ** Math.min(tries, 10));
  return longest * (0.5 + random / 2);
}

/**
 * Seconds until a provider that has accepted a call is polled again.
 * @param firstSeconds first pause
 * @param polls before this one
 * @param random from 0 to 1
 */
export function pollSeconds(firstSeconds: number, polls: number, random: number): number {
  const longest = Math.min(LAST_POLL_SECONDS, firstSeconds * POLL_GROWTH ** Math.min(polls, 20));
  return longest * (0.8 + random / 5);
}
