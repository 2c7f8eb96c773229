import type { RawBodyRequest } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { enforceDeadline, ErrorFilter, parseBody, readBody } from '@fd/envelope';
import type { Request, RequestHandler } from 'express';
import type { Logger } from 'pino';
import { Gauge, Registry } from 'prom-client';
import type { HttpConfig } from '../config/common-settings.js';
import { LoadShedding } from '../load/load-shedding.js';
import { accessLog, POLLED_ROUTES } from '../logging/access-log.js';
import { openRequestStore } from '../logging/request-context.js';
import { closeWhileDraining, Readiness } from '../observability/health.module.js';
import { serveApiDocument } from '../openapi/api-document.js';
import type { ApiDescription } from '../openapi/failure-responses.js';
import { AddressLimit } from '../rate-limit/address-limit.js';
import { countUnguarded } from '../rate-limit/count-unguarded.js';
import { traceRequests } from '../tracing/trace-requests.js';
import { corsOptions } from './cors.js';
import { requireOneHost } from './malformed-http.js';
import { setRequestId } from './request-id.js';
import { setSecurityHeaders } from './security-headers.js';

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
 * Configures an application of any service, in tests and in production. The middleware runs in this order, before Nest's guards;
 * each line can be left out.
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
  app.use(
    inOrder([
      setRequestId,
      setSecurityHeaders(!isUnlimited),
      closeWhileDraining(app.get(Readiness, { strict: false })),
      openRequestStore,
      accessLog(logger, registry, [...POLLED_ROUTES, ...polledRoutes]),
    ]),
  );
  app.enableCors(corsOptions(config));
  const tracing = config.tracing ? [traceRequests(config.tracing.isParentAccepted)] : [];
  if (isUnlimited) {
    app.use(inOrder([requireOneHost, ...tracing, readBody(config.bodyLimitBytes), parseIfPossible]));
  } else {
    const errors = app.get(ErrorFilter, { strict: false });
    const load = app.get(LoadShedding, { strict: false });
    app.use(
      inOrder([
        requireOneHost,
        load.refuseWhenFull,
        ...tracing,
        enforceDeadline(errors),
        readBody(config.bodyLimitBytes),
        load.enter,
        countUnguarded(app.get(AddressLimit, { strict: false }), errors),
      ]),
    );
  }
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

const FORM = 'application/x-www-form-urlencoded';

/** For the sandbox, which has no guards for bodies: reads JSON and forms, and keeps the bytes; an unparseable body is an empty object. */
const parseIfPossible: RequestHandler = (request: RawBodyRequest<Request>, _response, next) => {
  const { rawBody } = request;
  try {
    if (rawBody && request.headers['content-type'] === FORM)
      request.body = Object.fromEntries(new URLSearchParams(rawBody.toString()));
    else parseBody(request, true);
  } catch {
    // the handler reads the bytes, or reports the missing fields
  }
  next();
};
