import { ApiError, isOutage, NoAnswerError } from './api-error.js';
import type { paths } from './generated/users-service.js';
import type { Operation, Payload } from './operations.js';
import type { Answer, ServiceClient } from './service-client.js';
import { pause } from './transport.js';

type Users = ServiceClient<paths>;
type Pan = Payload<Operation<paths, '/api/v1/pan-verification/{verification_id}', 'get'>>;
type Bank = Payload<Operation<paths, '/api/v1/bank/verification/{verification_id}', 'get'>>;
type Ekyc = Payload<Operation<paths, '/issuer-apis/{issuer_slug}/v3/check-status', 'post'>>;

export interface WaitOptions {
  /** Aborts the wait; the promise is rejected with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Milliseconds after which waiting ends with NotYetError. Defaults to 5 minutes. */
  readonly limitMs?: number;
}

/** Thrown when the result is still pending at the limit. The check continues, and the caller may wait again. */
export class NotYetError extends Error {
  /** @param cause the last temporary refusal or lost answer, if any */
  constructor(cause: unknown) {
    super('no result yet', { cause });
    this.name = 'NotYetError';
  }
}

const LIMIT_MS = 300_000;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 10_000;

/** Waits until the PAN is verified. @throws ApiError with the refusal of `POST /api/v1/pan-verification` */
export function waitForPan(
  users: Users,
  verificationId: string,
  options?: WaitOptions,
): Promise<Answer<Exclude<Pan, { pending_code: string }>>> {
  const path = { verification_id: verificationId };
  const ask = (signal: AbortSignal) =>
    users.get('/api/v1/pan-verification/{verification_id}', { path, signal });
  return waitFor(ask, isDone, options) as Promise<Answer<Exclude<Pan, { pending_code: string }>>>;
}

/**
 * Waits until the account is verified and, if possible, registered. Ends with the 202 of names that an operator compares, which may
 * take a day: `name_match.band` is REVIEW or MISMATCH. @throws ApiError with the refusal
 */
export function waitForBank(
  users: Users,
  verificationId: string,
  options?: WaitOptions,
): Promise<Answer<Bank>> {
  const path = { verification_id: verificationId };
  const ask = (signal: AbortSignal) =>
    users.get('/api/v1/bank/verification/{verification_id}', { path, signal });
  const isSettled = ({ status, payload }: Answer<Bank>): boolean =>
    status !== 202 || IN_REVIEW.includes(payload.name_match?.band);
  return waitFor(ask, isSettled, options);
}

/**
 * Waits until the eKYC is verified, has failed or expired, or another link has replaced the one of the first answer; see
 * `is_ekyc_verified` and `ekyc_status`.
 * @param options `ekycState`: `ekyc_state` of the return address, in the browser that came back from the eKYC page
 */
export function waitForEkyc(
  users: Users,
  issuerSlug: string,
  { ekycState, ...options }: WaitOptions & { readonly ekycState?: string } = {},
): Promise<Answer<Ekyc>> {
  const path = { issuer_slug: issuerSlug };
  const body = ekycState === undefined ? {} : { ekyc_state: ekycState };
  const ask = (signal: AbortSignal) =>
    users.post('/issuer-apis/{issuer_slug}/v3/check-status', { path, body, signal });
  let requestId: string | undefined;
  const isDecided = ({ payload }: Answer<Ekyc>): boolean => {
    const { is_ekyc_verified, ekyc_status, ekyc_request_id } = payload;
    requestId ??= ekyc_request_id;
    // not `ekyc_failed`, which stays true until the person opens the next link
    const hasEnded = is_ekyc_verified || ekyc_status === 'FAILED' || ekyc_status === 'EXPIRED';
    // the service reports an end once, perhaps to another tab; the next link has another id
    return hasEnded || ekyc_request_id !== requestId;
  };
  return waitFor(ask, isDecided, options);
}

const IN_REVIEW: readonly unknown[] = ['REVIEW', 'MISMATCH'];

const isDone = ({ status }: Answer<unknown>): boolean => status !== 202;

/** A poll of an eKYC or a locker could not reach the provider; the request remains. */
const EKYC_UNAVAILABLE = 'SVCUSER2404';

/** Whether the next poll may succeed. A 503 of a PAN registry, a bank or an issuer is the stored result of the work. */
function isTemporary(error: unknown): boolean {
  if (!(error instanceof ApiError)) return error instanceof NoAnswerError;
  return error.statusCode === 503 ? isOutage(error) || error.code === EKYC_UNAVAILABLE : error.isRetryable;
}

/**
 * Polls a call until its answer is final. Pauses for Retry-After, else for growing times, also after a lost answer, 409, 429, and a 503
 * of the service itself or of an eKYC provider.
 * @throws ApiError with a final refusal
 */
export async function waitFor<A extends Pick<Answer<unknown>, 'retryAfterSeconds'>>(
  ask: (signal: AbortSignal) => Promise<A>,
  isLast: (answer: A) => boolean,
  { signal: givenUp, limitMs = LIMIT_MS }: WaitOptions = {},
): Promise<A> {
  const limit = AbortSignal.timeout(limitMs);
  const signal = givenUp ? AbortSignal.any([givenUp, limit]) : limit;
  let refusal: unknown;
  try {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2)) {
      let seconds: number | null;
      try {
        const answer = await ask(signal);
        if (isLast(answer)) return answer;
        seconds = answer.retryAfterSeconds;
      } catch (error) {
        if (!isTemporary(error)) throw error;
        refusal = error;
        seconds = error instanceof ApiError ? error.retryAfterSeconds : null;
      }
      await pause(seconds === null ? pauseMs : seconds * 1_000, signal);
    }
  } catch (error) {
    if (error === limit.reason && limit.aborted && !givenUp?.aborted) throw new NotYetError(refusal);
    throw error;
  }
}
