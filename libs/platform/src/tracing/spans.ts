import {
  type Attributes,
  context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';

// Without an SDK, which only startTracing() brings, all of this does nothing and costs next to nothing.
const tracer = trace.getTracer('fd');

/** Id of the trace that the running request is a part of, for logs. */
export function currentTraceId(): string | undefined {
  return trace.getActiveSpan()?.spanContext().traceId;
}

/**
 * Begins the span of a request and serves it inside of that.
 * @param headers of the request, if its caller may say which trace it is a part of
 */
export function inRequestSpan(
  method: string,
  headers: Readonly<Record<string, unknown>> | undefined,
  serve: () => void,
): Span {
  const parent = headers ? propagation.extract(ROOT_CONTEXT, headers) : ROOT_CONTEXT;
  const attributes = { 'http.request.method': method };
  const span = tracer.startSpan(method, { kind: SpanKind.SERVER, attributes }, parent);
  context.with(trace.setSpan(parent, span), serve);
  return span;
}

/** Ends the span of a request with what it has turned out to be: a pattern, never a path. */
export function endRequestSpan(
  span: Span,
  { method, route, status, requestId }: { method: string; route: string; status: number; requestId: string },
): void {
  span.updateName(`${method} ${route}`);
  span.setAttributes({ 'http.route': route, 'http.response.status_code': status, request_id: requestId });
  if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}

/**
 * The span of a call to a store or an external service, as a part of the running request; undefined outside of one, since
 * work in the background has no trace.
 */
export function childSpan(name: string, attributes: Attributes): Span | undefined {
  if (!trace.getActiveSpan()) return undefined;
  return tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes });
}

export function endSpan(span: Span | undefined, isOk: boolean): void {
  if (!isOk) span?.setStatus({ code: SpanStatusCode.ERROR });
  span?.end();
}

/**
 * Calls an external service inside of a span.
 * @param ask gets the headers by which the spans of that service become a part of the trace
 */
export async function inProviderSpan<T>(
  provider: string,
  operation: string,
  ask: (headers: Record<string, string>) => Promise<T>,
): Promise<T> {
  const span = childSpan(`${provider} ${operation}`, { 'peer.service': provider });
  const inside = span ? trace.setSpan(context.active(), span) : context.active();
  const headers: Record<string, string> = {};
  propagation.inject(inside, headers);
  try {
    const answer = await context.with(inside, () => ask(headers));
    endSpan(span, true);
    return answer;
  } catch (error) {
    // the error may hold what was sent
    endSpan(span, false);
    throw error;
  }
}
