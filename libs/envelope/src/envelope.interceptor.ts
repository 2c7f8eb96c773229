import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Request } from 'express';
import { map, type Observable } from 'rxjs';
import { DEFAULT_CONTRACT } from './route-contract.js';

/** Wraps every success as its route declares. It never looks into the payload to guess. */
@Injectable()
export class EnvelopeInterceptor implements NestInterceptor<unknown, unknown> {
  intercept(context: ExecutionContext, next: CallHandler<unknown>): Observable<unknown> {
    const contract = context.switchToHttp().getRequest<Request>().routeContract ?? DEFAULT_CONTRACT;
    if (contract.isRaw) return next.handle();
    return next.handle().pipe(
      map((payload) => ({
        success: 1,
        statusCode: contract.bodyStatus,
        message: contract.message,
        payload: payload ?? {},
      })),
    );
  }
}
