import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Request, Response } from 'express';
import { lastValueFrom, type Observable, of } from 'rxjs';
import { IdempotentCalls, keptRefusal } from './idempotent-calls.js';

/** Of routes with `@Idempotent()`: makes a call with a key once, and repeats its answer. */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  constructor(private readonly calls: IdempotentCalls) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const key = request.headers['idempotency-key'];
    if (typeof key !== 'string' || key === '') return next.handle();
    const claim = await this.calls.claim(context, key);
    if (!('id' in claim)) return of(claim.payload);
    let payload: unknown;
    try {
      payload = await lastValueFrom(next.handle(), { defaultValue: undefined });
    } catch (thrown) {
      await this.calls.keep(claim.id, keptRefusal(thrown, request));
      throw thrown;
    }
    const status = http.getResponse<Response>().statusCode;
    await this.calls.keep(claim.id, { kind: 'success', status, payload });
    return of(payload);
  }
}
