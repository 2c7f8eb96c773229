import { type CanActivate, Injectable } from '@nestjs/common';
import { ErrorFilter } from './error.filter.js';
import { requestStore } from './request-store.js';

/** Last guard: the client of a call whose checks took too long has got 503, so that the call must have no effect. */
@Injectable()
export class DeadlineGuard implements CanActivate {
  constructor(private readonly errors: ErrorFilter) {}

  canActivate(): true {
    if (requestStore()?.isTooLate) throw this.errors.fallbacks.unavailable();
    return true;
  }
}
