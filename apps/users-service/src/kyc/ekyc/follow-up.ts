import { timeLimit, withDeadline, within } from '@fd/envelope';
import { LEASE_SECONDS, type Transitions, waitMs } from '../../core/index.js';
import type { FollowState } from '../entities/ekyc-request.entity.js';

const transitions: Transitions<FollowState, 'ACCEPTED'> = {
  DUE: { ACCEPTED: 'FOLLOWED' },
  FOLLOWED: { ACCEPTED: 'FOLLOWED' },
  SETTLED: {},
  ABANDONED: {},
};

/** How an opened page is polled: people take longer than the first pause. */
export const FOLLOW_UP = { transitions, firstPollSeconds: 2, lastPollSeconds: 300 } as const;

/** Time after a link's expiry in which a late success counts. */
export const LATE_MS = 3_600_000;

/** Time for the status and the document of a vendor (`ekyc-adapters.ts`). */
const SLOW_LIMIT_MS = timeLimit(17_000);
/** Includes the time to write the result. */
const SLOW_LEASE_SECONDS = timeLimit(21);

interface Paced {
  readonly isSlow: boolean;
}

/** Whether the provider of an opened call is slow; before its opening, whether any provider is. */
export const isSlow = (
  providers: readonly (Paced & { readonly name: string })[],
  openedAt: string | null,
): boolean =>
  providers.some((provider) => provider.isSlow && (openedAt === null || provider.name === openedAt));

/** Lease of a row for a call to any of these providers, in seconds. */
export const leaseSecondsFor = (providers: readonly Paced[]): number =>
  providers.some(({ isSlow }) => isSlow) ? SLOW_LEASE_SECONDS : LEASE_SECONDS;

/** Lets a paid call outlast the request. A fast provider gets the time of the request only. */
export const beyondRequest = async <T>({ isSlow }: Paced, call: () => Promise<T>): Promise<T> =>
  isSlow ? withDeadline(call, SLOW_LIMIT_MS) : call();

/** Waits for a step; undefined if a slow provider's step continues in the background. */
export const stepInTime = async <T>(isSlow: boolean, step: Promise<T>): Promise<T | undefined> =>
  isSlow ? within(waitMs(), step) : step;
