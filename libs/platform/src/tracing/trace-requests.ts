import { context, propagation, ROOT_CONTEXT, SpanKind, trace } from '@opentelemetry/api';
import type { RequestHandler } from 'express';
import { requestIdOf } from '../http/answer-headers.js';
import { pathOf } from '../http/pipeline.js';
import { POLLED_ROUTES, routeOf, sentStatus } from '../logging/access-log.js';
import { endSpan, tracer } from './spans.js';

/** Serves each request inside a span, except for probes and metrics. */
export function traceRequests(isParentAccepted: boolean): RequestHandler {
  return (request, response, next) => {
    if (POLLED_ROUTES.includes(pathOf(request))) return next();
    const { method, headers } = request;
    // a caller's tracestate may contain anything, and would reach the collector and providers
    const { traceparent } = headers;
    const parent = isParentAccepted ? propagation.extract(ROOT_CONTEXT, { traceparent }) : ROOT_CONTEXT;
    const attributes = { 'http.request.method': method };
    const span = tracer.startSpan(method, { kind: SpanKind.SERVER, attributes }, parent);
    response.once('close', () => {
      const status = sentStatus(request, response);
      // a pattern, never a path
      const route = routeOf(request);
      span.updateName(`${method} ${route}`);
      span.setAttributes({
        'http.route': route,
        'http.response.status_code': status,
        request_id: requestIdOf(response),
        ...(request.refusalCode === undefined ? {} : { 'error.code': request.refusalCode }),
      });
      endSpan(span, status < 500);
    });
    context.with(trace.setSpan(parent, span), () => next());
  };
}
