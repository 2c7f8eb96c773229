import { type ApiError, apiErrorOf, isOutage, NoAnswerError, retryAfterSecondsOf } from './api-error.js';

/** The platform's fetch, for one attempt of a call. */
export type Fetch = (request: Request, init: { signal: AbortSignal }) => Promise<Response>;

/** Time limits and repeats. */
export interface TransportOptions {
  /** Time limit of an attempt in milliseconds; the services answer within 2 seconds. */
  readonly timeoutMs: number;
  /** Attempts after the first. */
  readonly maxRetries: number;
  /** Longest `Retry-After` for which the client waits; a longer one is reported at once. */
  readonly maxRetryAfterSeconds: number;
  readonly fetch: Fetch;
}

const FIRST_PAUSE_MS = 200;

/** The first call with this Idempotency-Key is still running. */
const STILL_RUNNING = 'SVCUSER2911';

/** Sends requests with a time limit for each attempt, and repeats them where that is safe. */
export class Transport {
  constructor(private readonly options: TransportOptions) {}

  /**
   * Returns the complete answer of any status.
   * @param fetch sends this request, instead of the one of the options
   * @throws NoAnswerError without an answer
   * @throws the reason of the request's signal when that is aborted
   */
  async send(request: Request, fetch = this.options.fetch): Promise<Response> {
    for (let retries = 0; ; retries++) {
      const outcome = await this.attempt(request, fetch);
      const pauseMs =
        retries < this.options.maxRetries ? await this.pauseAfter(outcome, request, retries) : null;
      if (pauseMs !== null) await pause(pauseMs, request.signal);
      else if (outcome instanceof Response) return outcome;
      else throw outcome;
    }
  }

  private async attempt(request: Request, fetch: Fetch): Promise<Response | NoAnswerError> {
    request.signal.throwIfAborted();
    const timeout = AbortSignal.timeout(this.options.timeoutMs);
    try {
      const signal = AbortSignal.any([request.signal, timeout]);
      // a clone, since a body can be sent only once
      const response = await fetch(request.clone(), { signal });
      return await received(response);
    } catch (error) {
      request.signal.throwIfAborted();
      return new NoAnswerError(timeout.aborted ? 'timeout' : 'lost', error);
    }
  }

  /** Milliseconds until the next attempt; null for none. */
  private async pauseAfter(
    outcome: Response | NoAnswerError,
    request: Request,
    retries: number,
  ): Promise<number | null> {
    const backoffMs = FIRST_PAUSE_MS * 2 ** retries * (1 + Math.random());
    if (outcome instanceof NoAnswerError) return isRepeatable(request) ? backoffMs : null;
    if (!(await mayBeRetried(outcome, request, retries))) return null;
    const seconds = retryAfterSecondsOf(outcome.headers);
    if (seconds === null) return backoffMs;
    return seconds <= this.options.maxRetryAfterSeconds ? seconds * 1_000 + backoffMs : null;
  }
}

/** The complete answer: a connection that is cut in the middle counts as no answer. */
async function received(response: Response): Promise<Response> {
  const text = await response.text();
  const { status, statusText, headers } = response;
  // some statuses must not have a body
  return new Response(text === '' ? null : text, { status, statusText, headers });
}

/**
 * Whether a repeat is safe. A repeated DELETE would be answered 404, which looks like a failure of a successful call.
 */
function isRepeatable({ method, headers }: Request): boolean {
  return method === 'POST' ? headers.has('idempotency-key') : method !== 'DELETE';
}

async function mayBeRetried(response: Response, request: Request, retries: number): Promise<boolean> {
  switch (response.status) {
    case 429: // the call had no effect
      return true;
    case 503:
      return isRepeatable(request) && isOutage(await refusalOf(response));
    case 409: // our former attempt, without an answer, is still running
      return retries > 0 && (await refusalOf(response)).items[0]?.errorCode === STILL_RUNNING;
    default:
      return false;
  }
}

async function refusalOf(response: Response): Promise<ApiError> {
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => undefined);
  return apiErrorOf(response, body);
}

/** @throws the signal's reason when it is aborted */
export function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      // the reason is the caller's
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, milliseconds);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}
