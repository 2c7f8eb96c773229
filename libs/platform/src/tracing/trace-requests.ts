import { context, propagation, ROOT_CONTEXT, SpanKind, trace } from '@opentelemetry/api';
import { requestStore } from '@fd/envelope';
import type { RequestHandler } from 'express';
import { POLLED_ROUTES, routeOf, sentStatus } from '../logging/access-log.js';
import { endSpan, tracer } from './spans.js';

/** Serves each request inside a span, except for probes and metrics. */
export function traceRequests(isParentAccepted: boolean): RequestHandler {
  return (request, response, next) => {
    if (POLLED_ROUTES.includes(request.path)) return next();
    const { method, headers } = request;
    // a caller's tracestate may contain anything, and would reach the collector and providers
    const { traceparent } = headers;
    const parent = isParentAccepted ? propagation.extract(ROOT_CONTEXT, { traceparent }) : ROOT_CONTEXT;
    const attributes = { 'http.request.method': method };
    const span = tracer.startSpan(method, { kind: SpanKind.SERVER, attributes }, parent);
    const store = requestStore()!;
    store.traceId = span.spanContext().traceId;
    response.once('close', () => {
      const status = sentStatus(store.isTooLate === true, response);
      // a pattern, never a path
      const route = routeOf(request);
      span.updateName(`${method} ${route}`);
      span.setAttributes({
        'http.route': route,
        'http.response.status_code': status,
        request_id: store.requestId,
        ...(store.refusalCode === undefined ? {} : { 'error.code': store.refusalCode }),
      });
      endSpan(span, status < 500);
    });
    context.with(trace.setSpan(parent, span), () => next());
  };
}
