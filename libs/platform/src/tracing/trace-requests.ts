import type { RequestHandler } from 'express';
import { requestIdOf } from '../http/answer-headers.js';
import { pathOf } from '../http/pipeline.js';
import { POLLED_ROUTES, routeOf, sentStatus } from '../logging/access-log.js';
import { endRequestSpan, inRequestSpan } from './spans.js';

/** A span for each request but those by which machines watch us. */
export function traceRequests(isParentAccepted: boolean): RequestHandler {
  return (request, response, next) => {
    if (POLLED_ROUTES.includes(pathOf(request))) return next();
    const { method, headers } = request;
    const span = inRequestSpan(method, isParentAccepted ? headers : undefined, () => {
      response.once('close', () =>
        endRequestSpan(span, {
          method,
          route: routeOf(request),
          status: sentStatus(request, response),
          requestId: requestIdOf(response),
        }),
      );
      next();
    });
  };
}
