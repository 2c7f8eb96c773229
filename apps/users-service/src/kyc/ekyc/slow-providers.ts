import { withDeadline } from '@fd/envelope';
import { LEASE_SECONDS } from '../../core/index.js';
import { waitMs, within } from '../waiting.js';

/** The status and the document of a vendor, each in its time (`ekyc-adapters.ts`). */
const SLOW_LIMIT_MS = 17_000;
/** Includes the time to write the result. */
const SLOW_LEASE_SECONDS = 21;

/** Whether it takes a provider seconds to answer. */
interface Paced {
  readonly isSlow: boolean;
}

/** How long a row is leased for a call to any of these providers. */
export const leaseSecondsFor = (providers: readonly Paced[]): number =>
  providers.some(({ isSlow }) => isSlow) ? SLOW_LEASE_SECONDS : LEASE_SECONDS;

/** Lets a paid call outlast the request. A fast provider gets the time of the request only. */
export const beyondRequest = async <T>({ isSlow }: Paced, call: () => Promise<T>): Promise<T> =>
  isSlow ? withDeadline(call, SLOW_LIMIT_MS) : call();

/** A step at a slow provider goes on when the request that makes it is answered: undefined then. */
export const stepInTime = async <T>(isSlow: boolean, step: Promise<T>): Promise<T | undefined> =>
  isSlow ? within(waitMs(), step) : step;
