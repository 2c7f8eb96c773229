import type { Transitions } from '../../core/index.js';
import type { FollowState } from '../entities/ekyc-request.entity.js';

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
