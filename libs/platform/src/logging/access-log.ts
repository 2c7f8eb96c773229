import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import type { HttpMetrics } from '../observability/http-metrics.js';

/** The pattern of the matched route (`/detail/:id`), never the path itself, which may hold what must not be logged. */
export function routeOf(request: Request): string {
  const route = request.route as { path?: unknown } | undefined;
  return typeof route?.path === 'string' ? route.path : 'unmatched';
}

const QUIET_ROUTES = ['/health/live', '/health/ready', '/metrics'];

/** One line and one measurement for each answered request, from an allow-list of fields. */
export function accessLog(logger: Logger, metrics: HttpMetrics): RequestHandler {
  return (request: Request, response: Response, next: NextFunction) => {
    const startedAt = performance.now();
    response.once('close', () => {
      const route = routeOf(request);
      const durationMs = performance.now() - startedAt;
      metrics.observe(request.method, route, response.statusCode, durationMs / 1_000);
      const line = {
        msg: 'request',
        // the response may close outside the request's context
        request_id: response.getHeader('x-request-id'),
        method: request.method,
        route,
        status: response.statusCode,
        duration_ms: Math.round(durationMs * 10) / 10,
        ...(response.writableFinished ? {} : { aborted: true }),
      };
      if (QUIET_ROUTES.includes(route)) logger.debug(line);
      else if (response.statusCode >= 500) logger.warn(line);
      else logger.info(line);
    });
    next();
  };
}
