import type { IncomingHttpHeaders } from 'node:http';
import type { CorsOptions } from '@nestjs/common/interfaces/external/cors-options.interface.js';
import type { RequestHandler } from 'express';
import type { HttpConfig } from '../config/common-settings.js';
import { REQUEST_ID, requestIdFor } from './request-id.js';

/** No caching and no content sniffing by default. */
const FIXED = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

/** TLS for a year. Browsers ignore this header without TLS, so that it has no effect on a developer's machine. */
const HSTS = { 'strict-transport-security': 'max-age=31536000; includeSubDomains' };

/** @param isTlsDemanded whether to send HSTS, which applies to the whole host */
const securityHeaders = (isTlsDemanded: boolean): [name: string, value: string][] =>
  Object.entries(isTlsDemanded ? { ...FIXED, ...HSTS } : FIXED);

export function setSecurityHeaders(isTlsDemanded: boolean): RequestHandler {
  const headers = securityHeaders(isTlsDemanded);
  return (_request, response, next) => {
    for (const [name, value] of headers) response.setHeader(name, value);
    next();
  };
}

/** Response headers that pages may read. */
const EXPOSED_HEADERS = [
  'etag',
  'idempotent-replayed',
  'retry-after',
  'www-authenticate',
  'x-error-hint',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  REQUEST_ID,
];

const PREFLIGHT_SECONDS = 600;

export function corsOptions({ corsOrigins }: Pick<HttpConfig, 'corsOrigins'>): CorsOptions {
  const origin = corsOrigins === true ? true : [...corsOrigins];
  return { origin, exposedHeaders: EXPOSED_HEADERS, maxAge: PREFLIGHT_SECONDS };
}

/**
 * All headers of an answer that no further middleware makes.
 * @param origin of the page; an empty text: none; undefined: unknown, since it may have come in an earlier packet
 */
export type PreparedHeaders = (
  request: IncomingHttpHeaders,
  origin: string | undefined,
) => [name: string, value: string][];

/** The headers of refusals by Node.js and by load shedding: those that Nest's `enableCors` and the middleware give other answers. */
export function preparedHeaders(
  { corsOrigins }: Pick<HttpConfig, 'corsOrigins'>,
  isTlsDemanded: boolean,
): PreparedHeaders {
  const known = corsOrigins === true ? undefined : new Set(corsOrigins);
  const fixed: [string, string][] = [
    ...securityHeaders(isTlsDemanded),
    ['vary', 'Origin'],
    ['access-control-expose-headers', EXPOSED_HEADERS.join(',')],
  ];
  return (request, origin) => {
    const headers: [string, string][] = [[REQUEST_ID, requestIdFor(request)], ...fixed];
    if (origin === undefined) headers.push(['access-control-allow-origin', '*']);
    else if (origin !== '' && (known?.has(origin) ?? true))
      headers.push(['access-control-allow-origin', origin]);
    return headers;
  };
}
