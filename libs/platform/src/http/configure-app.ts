import type { NestExpressApplication } from '@nestjs/platform-express';
import { enforceDeadline, ErrorFilter, readBody } from '@fd/envelope';
import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import { Gauge, Registry } from 'prom-client';
import type { HttpConfig } from '../config/common-settings.js';
import { LoadShedding } from '../load/load-shedding.js';
import { accessLog, POLLED_ROUTES } from '../logging/access-log.js';
import { closeWhileDraining, Readiness } from '../observability/health.module.js';
import { serveApiDocument } from '../openapi/api-document.js';
import type { ApiDescription } from '../openapi/failure-responses.js';
import { AddressLimit, countUnguarded } from '../rate-limit/address-limit.js';
import { traceRequests } from '../tracing/trace-requests.js';
import { corsOptions, preparedHeaders, setSecurityHeaders } from './answer-headers.js';
import { requireOneHost } from './malformed-http.js';
import { openRequestStore } from './request-id.js';

export interface ServiceDefinition {
  readonly name: string;
  readonly api: ApiDescription;
  /** Polled routes beside health and metrics, which are logged at debug level. */
  readonly polledRoutes?: readonly string[];
  /** Heap growth in per cent before a full collection. Not a limit: the heap can still grow. */
  readonly heapGrowthPercent: number;
  /** For the sandbox, which plays hanging providers: no deadline, no admission limit, no envelope, and no HSTS for all of localhost. */
  readonly isUnlimited?: true;
}

/**
 * Configures an application of any service, in tests and in production. The middleware runs in this order, before Nest's guards.
 * Each line can be left out, but for the store of the request, in which the following ones keep what they know.
 */
export function configureApp(
  app: NestExpressApplication,
  config: HttpConfig,
  { api, polledRoutes = [], isUnlimited }: ServiceDefinition,
  logger: Logger,
): void {
  const registry = app.get<Registry>(Registry);
  app.disable('x-powered-by');
  app.disable('etag');
  // N hops from the right; 0 trusts no header
  app.set('trust proxy', config.trustedProxyHops);
  const load = isUnlimited ? undefined : app.get(LoadShedding, { strict: false });
  app.use(
    inOrder([
      closeWhileDraining(app.get(Readiness, { strict: false })),
      ...(load ? [load.refuseWhenFull(preparedHeaders(config, true))] : []),
      openRequestStore,
      setSecurityHeaders(!isUnlimited),
      accessLog(logger, registry, [...POLLED_ROUTES, ...polledRoutes]),
    ]),
  );
  app.enableCors(corsOptions(config));
  const errors = isUnlimited ? undefined : app.get(ErrorFilter, { strict: false });
  app.use(
    inOrder([
      requireOneHost,
      ...(config.tracing ? [traceRequests(config.tracing.isParentAccepted)] : []),
      ...(errors ? [enforceDeadline(errors)] : []),
      readBody(config.bodyLimitBytes),
      ...(load ? [load.enter] : []),
      ...(errors ? [countUnguarded(app.get(AddressLimit, { strict: false }), errors)] : []),
    ]),
  );
  serveApiDocument(app, { ...api, guideUrl: config.guideUrl });
  new Gauge({
    name: 'build_info',
    help: '1, with the versions of the release and of Node.js',
    labelNames: ['version', 'node'],
    registers: [registry],
  }).set({ version: config.process.version, node: process.version }, 1);
}

/** Runs middleware as one layer of Express's router, whose layers cost more than most of what runs in them (measured: 5 % of a quote). */
function inOrder(handlers: readonly RequestHandler[]): RequestHandler {
  return (request, response, next) => {
    let place = 0;
    const run = (error?: unknown): void => {
      const handler = handlers[place++];
      if (error !== undefined || !handler) return next(error);
      try {
        handler(request, response, run);
      } catch (thrown) {
        next(thrown);
      }
    };
    run();
  };
}
