import { apiErrorOf, NoAnswerError, retryAfterSecondsOf } from './api-error.js';

/** How patient the client is. */
export interface TransportOptions {
  /** Milliseconds that one attempt may take; the services answer within 2 seconds. */
  readonly timeoutMs: number;
  /** Attempts after the first. */
  readonly maxRetries: number;
  /** Longest `Retry-After` that is waited for; after a longer one the caller is told at once. */
  readonly maxRetryAfterSeconds: number;
  readonly fetch: (request: Request, init: { signal: AbortSignal }) => Promise<Response>;
}

const FIRST_PAUSE_MS = 200;

/** The first attempt with the same Idempotency-Key is not over yet. */
const STILL_RUNNING = 'SVCUSER2911';

/** Sends requests, again where that is safe, each attempt within its time. */
export class Transport {
  constructor(private readonly options: TransportOptions) {}

  /**
   * The answer with its body already received, whatever its status.
   * @throws NoAnswerError when none came
   * @throws the reason of the request's own signal when that was aborted
   */
  async send(request: Request): Promise<Response> {
    for (let retries = 0; ; retries++) {
      const outcome = await this.attempt(request);
      const pauseMs =
        retries < this.options.maxRetries ? await this.pauseAfter(outcome, request, retries) : null;
      if (pauseMs !== null) await pause(pauseMs, request.signal);
      else if (outcome instanceof Response) return outcome;
      else throw outcome;
    }
  }

  private async attempt(request: Request): Promise<Response | NoAnswerError> {
    request.signal.throwIfAborted();
    const timeout = AbortSignal.timeout(this.options.timeoutMs);
    try {
      const signal = AbortSignal.any([request.signal, timeout]);
      // a clone, since a body can be sent only once
      const response = await this.options.fetch(request.clone(), { signal });
      return await received(response);
    } catch (error) {
      request.signal.throwIfAborted();
      return new NoAnswerError(timeout.aborted ? 'timeout' : 'lost', error);
    }
  }

  /** Milliseconds until the next attempt; null when there is to be none. */
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

/** The answer once all of it is there: a connection that breaks in the middle is as good as no answer. */
async function received(response: Response): Promise<Response> {
  const text = await response.text();
  const { status, statusText, headers } = response;
  // statuses without a body must not be given one
  return new Response(text === '' ? null : text, { status, statusText, headers });
}

/**
 * Whether sending it twice has the effect of sending it once. A second DELETE is answered 404, which would be told as a
 * failure of a call that has worked.
 */
function isRepeatable({ method, headers }: Request): boolean {
  return method === 'POST' ? headers.has('idempotency-key') : method !== 'DELETE';
}

async function mayBeRetried(response: Response, request: Request, retries: number): Promise<boolean> {
  switch (response.status) {
    case 429: // nothing was done
      return true;
    case 503:
      return isRepeatable(request);
    case 409: // our own attempt before this one, of which no answer came
      return retries > 0 && (await codeOf(response)) === STILL_RUNNING;
    default:
      return false;
  }
}

async function codeOf(response: Response): Promise<string | undefined> {
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => undefined);
  return apiErrorOf(response, body).items[0]?.errorCode;
}

/** @throws the signal's reason when it is aborted meanwhile */
function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      // what it was aborted with is the caller's own
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
