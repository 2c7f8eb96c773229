import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Request, Response } from 'express';
import { lastValueFrom, type Observable, of } from 'rxjs';
import { AuditedCalls } from './audited-calls.js';

/** Of routes with `@Audited()`: records the outcome of a call before it is answered. */
@Injectable()
export class AuditInterceptor implements NestInterceptor {
  constructor(private readonly calls: AuditedCalls) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const http = context.switchToHttp();
    const { user } = http.getRequest<Request>();
    // a public route identifies the caller itself, and records the call
    if (!user) return next.handle();
    const call = this.calls.callOf(context, user.userId);
    let payload: unknown;
    try {
      payload = await lastValueFrom(next.handle(), { defaultValue: undefined });
    } catch (thrown) {
      await this.calls.recordFailure(call, thrown);
      throw thrown;
    }
    await this.calls.recordSuccess(call, http.getResponse<Response>());
    return of(payload);
  }
}
