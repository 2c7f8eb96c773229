import { type CanActivate, Injectable } from '@nestjs/common';
import type { Request, RequestHandler, Response } from 'express';
import { ErrorFilter } from './error.filter.js';
import { timeLimit } from './time-limits.config.js';
import { addToRequestStore, requestStore, withRequestStore } from './request-store.js';

/** Clients wait two seconds at most; a request that takes longer than this is answered 503. */
export const DEADLINE_MS = timeLimit(1_900);

/** When a request is answered 503, and the work that must not throw and runs just before. */
export interface RequestTime {
  readonly endsAt: number;
  readonly acts: Set<() => void>;
  hasEnded: boolean;
}

const timeOf = (ms: number): RequestTime => ({
  endsAt: performance.now() + ms,
  acts: new Set(),
  hasEnded: false,
});

export const withDeadline = <T>(work: () => T, ms = DEADLINE_MS): T =>
  withRequestStore({ time: timeOf(ms) }, work);

/**
 * Milliseconds until the current request is answered 503. Code that is about to commit an effect must check it first, because
 * a 503 says that nothing was done.
 */
export const remainingMs = (): number => (requestStore()?.time?.endsAt ?? Infinity) - performance.now();

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
 * Registers work for `acts`; runs it at once if the client has got the 503.
 * @returns a function that cancels it
 */
export function whenTooLate(act: () => void): () => void {
  const time = requestStore()?.time;
  if (time?.hasEnded) act();
  else time?.acts.add(act);
  return () => void time?.acts.delete(act);
}

/**
 * Answers 503 at the deadline, whether a request waits for its body, a guard or a handler: several bounded waits may add up to
 * more than a client accepts. Running work is not stopped, but its result is not sent. Must come before everything that waits.
 */
export function enforceDeadline(errors: ErrorFilter, deadlineMs = DEADLINE_MS): RequestHandler {
  return (request, response, next) => {
    addToRequestStore({ time: timeOf(deadlineMs) });
    const cancel = atLimit(() => answerTooLate(errors, request, response), deadlineMs);
    response.once('close', cancel);
    next();
  };
}

function answerTooLate(errors: ErrorFilter, request: Request, response: Response): void {
  if (response.headersSent) return;
  const store = requestStore()!;
  store.time!.hasEnded = true;
  for (const act of store.time!.acts) act();
  // the rest of the body is not read, so the connection cannot be reused
  if (!request.complete) response.setHeader('connection', 'close');
  const { statusCode } = response;
  store.isTooLate = true;
  errors.respond(errors.fallbacks.unavailable(), response);
  // 503 is being sent; idempotency reads here the status that the handler chose
  response.statusCode = statusCode;
}

/** Last guard: the client of a call whose checks took too long has got 503, so that the call must have no effect. */
@Injectable()
export class DeadlineGuard implements CanActivate {
  constructor(private readonly errors: ErrorFilter) {}

  canActivate(): true {
    if (requestStore()?.isTooLate) throw this.errors.fallbacks.unavailable();
    return true;
  }
}
