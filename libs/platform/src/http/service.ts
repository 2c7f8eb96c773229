import { setFlagsFromString } from 'node:v8';
import type { INestApplication, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { enforceDeadline, ErrorFilter, failureOf, parseBody, readBody } from '@fd/envelope';
import type { Request, RequestHandler, Response } from 'express';
import cors from 'cors';
import type { Logger } from 'pino';
import { Gauge, Registry } from 'prom-client';
import type { HttpConfig } from '../config/common-settings.js';
import { isDecodable } from '../config/store-urls.js';
import { LoadShedding } from '../load/load-shedding.js';
import { accessLog, POLLED_ROUTES } from '../logging/access-log.js';
import { createLogger, NestLogger } from '../logging/logger.js';
import { requestContext } from '../logging/request-context.js';
import { Readiness } from '../observability/health.module.js';
import { isFileOfApiDocs, isOfApiDocument, serveApiDocument } from '../openapi/api-document.js';
import type { ApiDescription } from '../openapi/failure-responses.js';
import { RateLimit } from '../rate-limit/rate-limit.module.js';
import { startTracing } from '../tracing/start-tracing.js';
import { traceRequests } from '../tracing/trace-requests.js';
import { ExpressServerAdapter } from './express-server.adapter.js';
import { answerHeaders, setHeaders } from './answer-headers.js';
import { pipelineOf } from './pipeline.js';
import { crashOnDefects, shutDownGracefully } from './graceful-shutdown.js';

export interface ServiceDefinition {
  readonly name: string;
  readonly api: ApiDescription;
  /** Polled routes beside health and metrics, which are logged at debug level. */
  readonly polledRoutes?: readonly string[];
  /** Heap growth in per cent before a full collection. Not a limit: the heap can still grow. */
  readonly heapGrowthPercent: number;
  /** For the sandbox, which plays hanging providers: no deadline, no admission limit, and no envelope. */
  readonly isUnlimited?: true;
}

/**
 * Configures an application of any service, in tests and in production: limits, request id, deadline, body parsing,
 * access log, documents.
 */
export function configureApp(
  app: NestExpressApplication,
  config: HttpConfig,
  { api, polledRoutes = [], isUnlimited }: ServiceDefinition,
  logger: Logger,
): void {
  const readiness = app.get(Readiness, { strict: false });
  // not for the sandbox: browsers would require TLS for all of localhost
  const headersFor = answerHeaders(config.corsOrigins, readiness, !isUnlimited);
  const errors = isUnlimited ? undefined : app.get(ErrorFilter, { strict: false });
  const load =
    errors &&
    new LoadShedding({
      limits: config.load,
      headersFor,
      refusal: failureOf(errors.fallbacks.unavailable()),
      registry: app.get(Registry),
    });
  app.getHttpServer().once('close', () => load?.stop());
  new Gauge({
    name: 'build_info',
    help: '1, with the versions of the release and of Node.js',
    labelNames: ['version', 'node'],
    registers: [app.get(Registry)],
  }).set({ version: config.process.version, node: process.version }, 1);
  const steps: (RequestHandler | undefined)[] = [
    load?.refuseWhenFull,
    setHeaders(headersFor),
    requestContext,
    config.tracing && traceRequests(config.tracing.isParentAccepted),
    errors && enforceDeadline(errors),
    accessLog(logger, app.get(Registry), [...POLLED_ROUTES, ...polledRoutes]),
    preflight(config),
    readBody(config.bodyLimitBytes),
    isUnlimited && parseIfPossible,
    load?.enter,
  ];
  const adapter = app.getHttpAdapter() as unknown as ExpressServerAdapter;
  const pipeline = pipelineOf(
    steps.filter((step) => step !== undefined),
    (error, request, response) => {
      if (errors) return errors.respond(error, request, response);
      logger.error({ msg: 'a request was not served', err: error });
      response.destroy();
    },
  );
  adapter.usePipeline(pipeline, headersFor);
  if (errors) app.use(countUnguarded(app.get(RateLimit, { strict: false }), errors));
  serveApiDocument(app, { ...api, guideUrl: config.guideUrl });
}

/** Answers CORS preflight requests. */
function preflight({ corsOrigins }: HttpConfig): RequestHandler {
  const answer = cors({ origin: corsOrigins === true ? true : [...corsOrigins], maxAge: 600 });
  return (request, response, next) =>
    request.method === 'OPTIONS' ? answer(request, response, next) : next();
}

const FORM = 'application/x-www-form-urlencoded';

/** For the sandbox, which has no RequestGuard: reads JSON and forms, and keeps the bytes; an unparseable body is an empty object. */
const parseIfPossible: RequestHandler = (request, _response, next) => {
  const { bodyBytes } = request;
  try {
    if (bodyBytes && request.headers['content-type'] === FORM) {
      request.body = Object.fromEntries(new URLSearchParams(bodyBytes.toString()));
      return next();
    }
    parseBody(request, true);
  } catch {
    // the handler reads the bytes, or reports the missing fields
  }
  request.bodyBytes = bodyBytes;
  next();
};

/**
 * Share of the calls a minute that one address may use for files of the API reference: megabytes, which browsers cache. With all
 * calls, one address gets 200 MB a second.
 */
const DOCS_FILES_SHARE = 0.05;

/** Counts requests that get an answer before any guard: API documents, and paths that cannot be decoded. */
function countUnguarded(limit: RateLimit, errors: ErrorFilter): RequestHandler {
  const count = async (request: Request, response: Response): Promise<void> => {
    await limit.countByAddress(request, response);
    if (isFileOfApiDocs(request.path)) await limit.countShare('docs', request, DOCS_FILES_SHARE);
  };
  return (request, response, next) => {
    if (isDecodable(request.path) && !isOfApiDocument(request.path)) return next();
    count(request, response).then(
      () => next(),
      (error: unknown) => errors.respond(error, request, response),
    );
  };
}

/** Nest's options for every service: bodies are parsed by the envelope library, errors of start-up are thrown. */
export const NEST_OPTIONS = { bodyParser: false, abortOnError: false } as const;

/** Starts a service and keeps it running until SIGTERM or SIGINT. */
export async function runService(
  module: Type | { module: Type },
  config: HttpConfig,
  definition: ServiceDefinition,
): Promise<INestApplication> {
  // measured under load: users-service uses 197 MiB instead of 303, master-service 190 instead of 228
  setFlagsFromString(`--heap-growing-percent=${definition.heapGrowthPercent}`);
  const { version, pod, attributes } = config.process;
  const logger = createLogger({ service: definition.name, version, pod }, config.logLevel);
  crashOnDefects(logger);
  const endTracing = config.tracing && (await startTracing(definition.name, config.tracing, attributes));
  const app = await NestFactory.create<NestExpressApplication>(module, new ExpressServerAdapter(config), {
    ...NEST_OPTIONS,
    logger: new NestLogger(logger),
  });
  configureApp(app, config, definition, logger);
  await app.init();
  shutDownGracefully(app, {
    delaySeconds: config.shutdownDelaySeconds,
    logger,
    afterwards: endTracing,
  });
  await app.listen(config.port, config.host);
  logger.info({ msg: 'listening', host: config.host, port: config.port });
  return app;
}
