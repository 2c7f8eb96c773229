import type { Request, RequestHandler, Response } from 'express';
import type { ErrorFilter } from './error.filter.js';
import { requestScope, withRequestScope } from './request-scope.js';

/** Clients wait for two seconds at most; a request that takes longer than this is answered with 503. */
export const DEADLINE_MS = 1_900;

/** The time of one request, and what runs when it ends. */
class RequestTime {
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

declare module './request-scope.js' {
  interface RequestScope {
    readonly time?: RequestTime;
  }
}

/**
 * Runs what serves one request, which is to be answered in time.
 * @param work gets what is to be called when the client is told 503 instead
 */
export function withDeadline<T>(work: (end: () => void) => T, ms = DEADLINE_MS): T {
  const time = new RequestTime(ms);
  return withRequestScope({ time }, () => work(() => time.end()));
}

/**
 * Milliseconds until the request that is being served is answered with 503, whatever happens. Code that
 * is about to make something final asks first: the client would get the answer that it was not done.
 */
export function remainingMs(): number {
  return requestScope()?.time?.leftMs ?? Infinity;
}

/**
 * Registers what runs, without throwing, when the client gets 503, before the client can act on that; at once when it has its 503
 * already.
 * @returns what takes this back
 */
export function whenTooLate(act: () => void): () => void {
  return requestScope()?.time?.whenTooLate(act) ?? (() => undefined);
}

declare global {
  namespace Express {
    interface Request {
      /** The client has its 503: nobody hears what becomes of the request now. */
      isTooLate?: true;
    }
  }
}

/**
 * Answers in time whatever a request waits for, be it a body, a guard or a handler: several bounded waits may add up
 * to more than a client bears. What is under way then is not stopped, and ends unheard. Belongs before everything that waits.
 */
export function enforceDeadline(errors: ErrorFilter, deadlineMs = DEADLINE_MS): RequestHandler {
  return (request, response, next) =>
    withDeadline((end) => {
      const timer = setTimeout(() => answerTooLate(errors, request, response, end), deadlineMs);
      response.once('close', () => clearTimeout(timer));
      next();
    }, deadlineMs);
}

function answerTooLate(errors: ErrorFilter, request: Request, response: Response, end: () => void): void {
  if (response.headersSent) return;
  // first what must be so when the client knows
  end();
  // what is left of the body is not waited for, so the connection cannot be used again
  if (!request.complete) response.setHeader('connection', 'close');
  const { statusCode } = response;
  request.isTooLate = true;
  errors.respond(errors.fallbacks.unavailable(), request, response);
  // 503 is on its way; whoever keeps the handler's answer for a repeat looks here for the status it chose
  response.statusCode = statusCode;
}
