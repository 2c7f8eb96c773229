import { Inject, Injectable } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { DEADLINE_MS, withDeadline } from './deadline.js';
import { ENVELOPE_OPTIONS, type EnvelopeOptions, ErrorFilter } from './error.filter.js';

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
 * to more than a client bears. What is under way then is not stopped, and ends unheard.
 */
@Injectable()
export class Deadline {
  constructor(
    @Inject(ENVELOPE_OPTIONS) private readonly options: EnvelopeOptions,
    private readonly errors: ErrorFilter,
  ) {}

  /** Belongs before everything that waits. */
  readonly middleware = (request: Request, response: Response, next: NextFunction): void => {
    withDeadline((end) => {
      const timer = setTimeout(() => this.end(request, response, end), DEADLINE_MS);
      response.once('close', () => clearTimeout(timer));
      next();
    });
  };

  private end(request: Request, response: Response, end: () => void): void {
    if (response.headersSent) return;
    // first what must be so when the client knows
    end();
    // what is left of the body is not waited for, so the connection cannot be used again
    if (!request.complete) response.setHeader('connection', 'close');
    const { statusCode } = response;
    request.isTooLate = true;
    this.errors.respond(this.options.errors.unavailable(), request, response);
    // 503 is on its way; whoever keeps the handler's answer for a repeat looks here for the status it chose
    response.statusCode = statusCode;
  }
}
