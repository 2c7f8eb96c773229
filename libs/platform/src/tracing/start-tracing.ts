import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { timeLimit, within } from '@fd/envelope';
import { context, propagation, trace } from '@opentelemetry/api';
import type { HttpConfig } from '../config/common-settings.js';

const SEND_EVERY_MS = 2_000;
const SEND_LIMIT_MS = timeLimit(3_000);
/** How long an ending process waits for its last spans. */
const SHUTDOWN_MS = 2_000;

/**
 * Starts to send spans to a collector and loads the modules for it only now: without an endpoint a service needs no
 * memory or time for tracing. See docs/adr/0016-spans-of-our-own.md.
 */
export async function startTracing(
  service: string,
  { tracing, process: { attributes } }: HttpConfig,
): Promise<void> {
  if (!tracing) return;
  const [sdk, { AsyncLocalStorageContextManager }, { W3CTraceContextPropagator }, exporters, resources] =
    await Promise.all([
      import('@opentelemetry/sdk-trace'),
      import('@opentelemetry/context-async-hooks'),
      import('@opentelemetry/core'),
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('@opentelemetry/resources'),
    ]);
  const exporter = new exporters.OTLPTraceExporter({
    url: `${tracing.endpoint}/v1/traces`,
    timeoutMillis: SEND_LIMIT_MS,
  });
  const provider = new sdk.TracerProvider({
    resource: resources.resourceFromAttributes({ 'service.name': service, ...attributes }),
    sampler: new sdk.ParentBasedSampler({ root: new sdk.TraceIdRatioBasedSampler(tracing.ratio) }),
    spanProcessors: [
      // drops spans beyond 2,048 unsent ones, which limits the memory with a dead endpoint
      new sdk.BatchSpanProcessor({
        exporter,
        scheduledDelayMillis: SEND_EVERY_MS,
        exportTimeoutMillis: SEND_LIMIT_MS,
      }),
    ],
  });
  trace.setGlobalTracerProvider(provider);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  sendRemaining = () => provider.shutdown().catch(() => undefined);
}

/** Of the process; undefined without tracing. */
let sendRemaining: (() => Promise<void>) | undefined;

/** Sends the remaining spans of an ending service. */
@Injectable()
export class Tracing implements OnApplicationShutdown {
  async onApplicationShutdown(): Promise<void> {
    if (sendRemaining) await within(SHUTDOWN_MS, sendRemaining());
  }
}
