import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Request, Response } from 'express';
import { EMPTY, map, type Observable } from 'rxjs';
import { DEFAULT_CONTRACT, type RouteContract } from './route-contract.js';
import { WrittenPayload } from './written-payload.js';

/** Wraps every success as its route declares. It never looks into the payload to guess. */
@Injectable()
export class EnvelopeInterceptor implements NestInterceptor<unknown, unknown> {
  intercept(context: ExecutionContext, next: CallHandler<unknown>): Observable<unknown> {
    const http = context.switchToHttp();
    const { routeContract: contract = DEFAULT_CONTRACT, isTooLate } = http.getRequest<Request>();
    // the guards took all of the time: the client has been told that nothing was done, so nothing is begun
    if (isTooLate) return EMPTY;
    if (contract.isRaw) return next.handle();
    const response = http.getResponse<Response>();
    return next.handle().pipe(
      map((payload) => {
        const success = { success: 1, ...successOf(contract, response.statusCode) };
        if (!(payload instanceof WrittenPayload)) return { ...success, payload: payload ?? {} };
        response.type('json');
        return `${JSON.stringify(success).slice(0, -1)},"payload":${payload.json}}`;
      }),
    );
  }
}

/** How the success is told that the handler chose by its status. */
function successOf(
  { bodyStatus, message, alternatives }: RouteContract,
  status: number,
): { statusCode: number; message: string } {
  const alternative = alternatives.find((other) => other.status === status);
  return alternative
    ? { statusCode: status, message: alternative.message ?? message }
    : { statusCode: bodyStatus, message };
}
