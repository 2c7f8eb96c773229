import {
  type Attributes,
  context,
  propagation,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';

// Without an SDK, which only startTracing() loads, all of this does nothing at almost no cost.
export const tracer = trace.getTracer('fd');

export const isTraced = (): boolean => trace.getActiveSpan() !== undefined;

/**
 * The span of a call to a store or an external service within the current request; undefined in background work, which
 * has no trace.
 */
export function childSpan(name: string, attributes: Attributes): Span | undefined {
  if (!isTraced()) return undefined;
  return tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes });
}

export function endSpan(span: Span | undefined, isOk: boolean): void {
  if (!isOk) span?.setStatus({ code: SpanStatusCode.ERROR });
  span?.end();
}

/** Calls an external service inside a span. @param ask gets the trace context headers */
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
