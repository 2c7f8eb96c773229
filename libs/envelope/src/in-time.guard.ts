import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { ENVELOPE_OPTIONS, type EnvelopeOptions } from './error.filter.js';

/** Begins nothing for a client that has been told 503, because the guards took all of the time. Comes after all others. */
@Injectable()
export class InTimeGuard implements CanActivate {
  constructor(@Inject(ENVELOPE_OPTIONS) private readonly options: EnvelopeOptions) {}

  canActivate(context: ExecutionContext): boolean {
    const { isTooLate } = context.switchToHttp().getRequest<Request>();
    if (isTooLate) throw this.options.errors.unavailable();
    return true;
  }
}
