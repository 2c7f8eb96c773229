import type { Transitions } from '../../core/index.js';

/**
 * Whether a provider may still change an outcome. DUE: it may not have been called yet. FOLLOWED: it is polled. The
 * service polls an outcome for a while after its end for the client, since a success may arrive late.
 */
export type FollowState = 'DUE' | 'FOLLOWED' | 'SETTLED' | 'ABANDONED';

export const FOLLOW_TRANSITIONS: Transitions<FollowState, 'ACCEPTED'> = {
  DUE: { ACCEPTED: 'FOLLOWED' },
  FOLLOWED: { ACCEPTED: 'FOLLOWED' },
  SETTLED: {},
  ABANDONED: {},
};

/** First pause between polls: people take longer than this. */
export const FIRST_POLL_SECONDS = 2;
export const LAST_POLL_SECONDS = 300;

/** Time after a link's expiry in which a late success counts. */
export const LATE_MS = 3_600_000;
