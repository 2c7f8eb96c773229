import {
  type Attributes,
  context,
  propagation,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';

// Without an SDK, which only startTracing() brings, all of this does nothing and costs next to nothing.
export const tracer = trace.getTracer('fd');

/** Id of the trace that the running request is a part of, for logs. */
export function currentTraceId(): string | undefined {
  return trace.getActiveSpan()?.spanContext().traceId;
}

/** Whether the running request is recorded as a span. */
export const isTraced = (): boolean => trace.getActiveSpan() !== undefined;

/**
 * The span of a call to a store or an external service, as a part of the running request; undefined outside of one, since
 * work in the background has no trace.
 */
export function childSpan(name: string, attributes: Attributes): Span | undefined {
  if (!isTraced()) return undefined;
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
  const headers: Record<string, string> = {};
  const span = childSpan(`${provider} ${operation}`, { 'peer.service': provider });
  if (!span) return ask(headers);
  const inside = trace.setSpan(context.active(), span);
  propagation.inject(inside, headers);
  try {
    const answer = await context.with(inside, () => ask(headers));
    endSpan(span, true);
    return answer;
  } catch (error) {
    // the error may contain personal data of the request
    endSpan(span, false);
    throw error;
  }
}
