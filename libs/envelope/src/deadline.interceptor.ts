import {
  type CallHandler,
  type ExecutionContext,
  Inject,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import { AppError } from '@fd/errors';
import { type Observable, throwError, timeout } from 'rxjs';
import { ENVELOPE_OPTIONS, type EnvelopeOptions } from './error.filter.js';

/** Clients may be kept waiting for two seconds; what takes longer than this is answered with 503. */
export const DEADLINE_MS = 1_900;

/** Answers in time whatever a handler waits for: several bounded waits may add up to more than a client bears. */
@Injectable()
export class DeadlineInterceptor implements NestInterceptor<unknown, unknown> {
  constructor(@Inject(ENVELOPE_OPTIONS) private readonly options: EnvelopeOptions) {}

  intercept(_context: ExecutionContext, next: CallHandler<unknown>): Observable<unknown> {
    return next.handle().pipe(
      timeout({
        first: DEADLINE_MS,
        with: () => throwError(() => new AppError(this.options.codes.unavailable)),
      }),
    );
  }
}
