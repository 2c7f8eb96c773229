import { type RequestStore, requestStore, UNKNOWN_ROUTE } from '@fd/envelope';
import type { Request, RequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import { Counter, Histogram, type Registry } from 'prom-client';
import { SafeLine } from './logger.js';

/** The pattern of the matched route (`/detail/:id`), never the path itself, which may contain personal data. */
export function routeOf(request: Request): string {
  const route = request.route as { path?: unknown } | undefined;
  return typeof route?.path === 'string' && route.path !== UNKNOWN_ROUTE ? route.path : 'unmatched';
}

/** Polled routes, logged at debug level. */
export const POLLED_ROUTES = ['/health/live', '/health/ready', '/metrics'];

/** Status of a call whose client disconnected before the answer, as in other servers' logs. */
const CLIENT_CLOSED = 499;
const UNAVAILABLE = 503;

/** The status sent to the client. After the deadline a late handler can still change the response's status. */
export const sentStatus = (isTooLate: boolean, response: Response): number => {
  if (!response.writableFinished) return CLIENT_CLOSED;
  return isTooLate ? UNAVAILABLE : response.statusCode;
};

/** Metrics count these, too. Preflight requests pass before the rate limit. */
const isQuiet = ({ isOverLimit }: RequestStore, { method }: Request): boolean =>
  isOverLimit === true || method === 'OPTIONS';

/**
 * One line and one measurement for each answered request, from an allow-list of fields. Requests that no limit counts, and
 * repeated refusals by the rate limit, are logged at debug level, so that no caller can fill the log.
 */
export function accessLog(
  logger: Logger,
  registry: Registry,
  quietRoutes: readonly string[],
): RequestHandler {
  const duration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the arrival of a request to the end of the answer',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 1.5, 2, 5],
    registers: [registry],
  });
  const times = new Map<string, Histogram.Internal<string>>();
  /** Cached, because prom-client checks and joins the labels of each observation. */
  const timesOf = (method: string, route: string, status: number): Histogram.Internal<string> => {
    const name = `${method} ${route} ${status}`;
    let found = times.get(name);
    if (!found) times.set(name, (found = duration.labels(method, route, String(status))));
    return found;
  };
  const refusals = new Counter({
    name: 'refusals_total',
    help: 'Refused requests by the code of the first error; none if the answer has no code. Not those of requests_shed_total',
    labelNames: ['code', 'route'],
    registers: [registry],
  });
  return (request, response, next) => {
    const startedAt = performance.now();
    // the response may close outside of the store's context
    const store = requestStore()!;
    response.once('close', () => {
      const { method } = request;
      // requests_shed_total counts them, and a flood of them must cost little
      if (store.isShed) return;
      const { refusalCode: code, requestId: request_id, traceId: trace_id } = store;
      const route = routeOf(request);
      const durationMs = performance.now() - startedAt;
      const status = sentStatus(store.isTooLate === true, response);
      timesOf(method, route, status).observe(durationMs / 1_000);
      if (code !== undefined) refusals.inc({ code, route });
      const duration_ms = Math.round(durationMs * 10) / 10;
      const line = new SafeLine({
        ...{ msg: 'request', request_id, trace_id, method, route, status, code, duration_ms },
      });
      if (isQuiet(store, request) || quietRoutes.includes(route)) logger.debug(line);
      else if (status >= 500) logger.warn(line);
      else logger.info(line);
    });
    next();
  };
}
