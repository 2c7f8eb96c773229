import type { Transitions } from '../../core/index.js';

/**
 * Whether a provider may still change an outcome. DUE: it may not have been called yet. FOLLOWED: it is polled. An outcome that has ended
 * for the client is followed for a while, since its success may arrive late.
 */
export type FollowState = 'DUE' | 'FOLLOWED' | 'SETTLED' | 'ABANDONED';

export const FOLLOW_TRANSITIONS: Transitions<FollowState, 'ACCEPTED'> = {
  DUE: { ACCEPTED: 'FOLLOWED' },
  FOLLOWED: { ACCEPTED: 'FOLLOWED' },
  SETTLED: {},
  ABANDONED: {},
};

/** First pause between two polls: a person takes longer. */
export const FIRST_POLL_SECONDS = 2;
export const LAST_POLL_SECONDS = 300;

/** How long after the end of a link its page is followed: until then a success that arrives late counts. */
export const LATE_MS = 3_600_000;
