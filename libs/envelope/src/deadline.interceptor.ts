import {
  type CallHandler,
  type ExecutionContext,
  Inject,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import { AppError } from '@fd/errors';
import { Observable, throwError, timeout } from 'rxjs';
import { DEADLINE_MS, withDeadline } from './deadline.js';
import { ENVELOPE_OPTIONS, type EnvelopeOptions } from './error.filter.js';

/** Answers in time whatever a handler waits for: several bounded waits may add up to more than a client bears. */
@Injectable()
export class DeadlineInterceptor implements NestInterceptor<unknown, unknown> {
  constructor(@Inject(ENVELOPE_OPTIONS) private readonly options: EnvelopeOptions) {}

  intercept(_context: ExecutionContext, next: CallHandler<unknown>): Observable<unknown> {
    const handled = new Observable<unknown>((subscriber) =>
      withDeadline(() => next.handle().subscribe(subscriber)),
    );
    return handled.pipe(
      timeout({
        first: DEADLINE_MS,
        with: () => throwError(() => new AppError(this.options.codes.unavailable)),
      }),
    );
  }
}
