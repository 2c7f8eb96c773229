import type { Request, RequestHandler, Response } from 'express';
import type { ErrorFilter } from './error.filter.js';
import { timeLimit } from './time-limits.config.js';
import { addToRequestStore, requestStore, withRequestStore } from './request-store.js';

/** Clients wait two seconds at most; a request that takes longer than this is answered 503. */
export const DEADLINE_MS = timeLimit(1_900);

/** The deadline of one request, and the work to run when it expires. */
export class RequestTime {
  private readonly endsAt: number;
  private waiting: Set<() => void> | undefined;
  private hasEnded = false;

  constructor(ms: number) {
    this.endsAt = performance.now() + ms;
  }

  get leftMs(): number {
    return this.endsAt - performance.now();
  }

  end(): void {
    this.hasEnded = true;
    for (const act of this.waiting ?? []) act();
    this.waiting = undefined;
  }

  whenTooLate(act: () => void): () => void {
    if (this.hasEnded) act();
    else (this.waiting ??= new Set()).add(act);
    return () => void this.waiting?.delete(act);
  }
}

export function withDeadline<T>(work: () => T, ms = DEADLINE_MS): T {
  return withRequestStore({ time: new RequestTime(ms) }, work);
}

/**
 * Milliseconds until the current request is answered 503. Code that is about to commit an effect must check it first, because
 * a 503 says that nothing was done.
 */
export function remainingMs(): number {
  return requestStore()?.time?.leftMs ?? Infinity;
}

/**
 * Runs ACT in MS milliseconds, but after what has arrived by then: Node.js runs timers before it reads its sockets, so that a
 * process that was blocked would count answers as late that came in time.
 * @returns a function that cancels it
 */
export function atLimit(act: () => void, ms: number): () => void {
  let afterInput: NodeJS.Immediate | undefined;
  // a timer must not keep the process alive
  const timer = setTimeout(() => (afterInput = setImmediate(act)), ms).unref();
  return () => {
    clearTimeout(timer);
    clearImmediate(afterInput);
  };
}

/** The result of work within a time; undefined if it takes longer. The work continues. */
export async function within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  let cancel: (() => void) | undefined;
  const late = new Promise<undefined>((resolve) => (cancel = atLimit(() => resolve(undefined), ms)));
  return Promise.race([work, late]).finally(cancel);
}

/**
 * Registers work that must not throw and runs just before the client gets 503; runs it at once if the client has got it.
 * @returns a function that cancels it
 */
export function whenTooLate(act: () => void): () => void {
  return requestStore()?.time?.whenTooLate(act) ?? (() => undefined);
}

/**
 * Answers 503 at the deadline, whether a request waits for its body, a guard or a handler: several bounded waits may add up to
 * more than a client accepts. Running work is not stopped, but its result is not sent. Must come before everything that waits.
 */
export function enforceDeadline(errors: ErrorFilter, deadlineMs = DEADLINE_MS): RequestHandler {
  return (request, response, next) => {
    const time = new RequestTime(deadlineMs);
    addToRequestStore({ time });
    const cancel = atLimit(() => answerTooLate(errors, request, response), deadlineMs);
    response.once('close', cancel);
    next();
  };
}

function answerTooLate(errors: ErrorFilter, request: Request, response: Response): void {
  if (response.headersSent) return;
  const store = requestStore()!;
  // registered work comes before the answer
  store.time!.end();
  // the rest of the body is not read, so the connection cannot be reused
  if (!request.complete) response.setHeader('connection', 'close');
  const { statusCode } = response;
  store.isTooLate = true;
  errors.respond(errors.fallbacks.unavailable(), response);
  // 503 is being sent; idempotency reads here the status that the handler chose
  response.statusCode = statusCode;
}
