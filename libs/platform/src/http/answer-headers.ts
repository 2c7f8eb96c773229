import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';
import type { HttpConfig } from '../config/common-settings.js';
import type { Readiness } from '../observability/health.module.js';

const REQUEST_ID = 'x-request-id';

/**
 * Random ids of gateways, tracers and clients: a UUID, or 32 hexadecimal digits. Other ids might contain a phone or a
 * name, and request ids go into logs, the audit trail and calls to providers.
 */
const MACHINE_MADE =
  /^(?=[\d-]*[a-f])(?:[0-9a-f]{32}|[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12})$/i;

/**
 * Ids that contain a phone, an Aadhaar number or a PAN, wherever their dashes are, are replaced: of random ids 7.1 % with version 4,
 * 6.6 % with version 7, and 6.5 % of 32 digits. Refusing every ten digits in a row would replace a tenth.
 */
const PERSONAL = /[6-9]\d{9}|[2-9]\d{11}|[a-f]{5}\d{4}[a-f]/i;

const isMachineMade = (id: string): boolean =>
  MACHINE_MADE.test(id) && !PERSONAL.test(id.replaceAll('-', ''));

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

/** TLS for a year. Browsers ignore this header without TLS, so that it has no effect on a developer's machine. */
const HSTS = ['strict-transport-security', 'max-age=31536000; includeSubDomains'];

/** No caching and no content sniffing by default; answers vary by origin. */
const FIXED = Object.entries({
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  vary: 'Origin',
  'access-control-expose-headers': EXPOSED_HEADERS.join(','),
}).flat();

/** The request id of the answer. Call it after the headers are set. */
export function requestIdOf(response: ServerResponse): string {
  return response.getHeader(REQUEST_ID) as string;
}

/** Returns the headers of the answer to a request: names and values, alternating. */
export type HeadersFor = (request: Pick<IncomingMessage, 'headers'>) => string[];

/**
 * The headers of every answer. Prepared as a list, so that load shedding can send them at once: setting them one by one
 * is the most expensive part of such a refusal. Keeps a machine-made request id, or creates one.
 * @param isTlsDemanded whether to send HSTS, which applies to the whole host
 */
export function answerHeaders(
  origins: HttpConfig['corsOrigins'],
  readiness: Pick<Readiness, 'isDraining'>,
  isTlsDemanded: boolean,
): HeadersFor {
  const fixed = isTlsDemanded ? [...FIXED, ...HSTS] : FIXED;
  return ({ headers: { origin, [REQUEST_ID]: incoming } }) => {
    const isTaken = typeof incoming === 'string' && isMachineMade(incoming);
    const isKnown = origin !== undefined && (origins === true || origins.includes(origin));
    return [
      REQUEST_ID,
      isTaken ? incoming : randomUUID(),
      ...fixed,
      ...(isKnown ? ['access-control-allow-origin', origin] : []),
      // during shutdown, so that clients reconnect elsewhere
      ...(readiness.isDraining ? ['connection', 'close'] : []),
    ];
  };
}

/** The step of the pipeline that sets them. */
export const setHeaders =
  (headersFor: HeadersFor): RequestHandler =>
  (request, response, next) => {
    const headers = headersFor(request);
    for (let i = 0; i < headers.length; i += 2) response.setHeader(headers[i]!, headers[i + 1]!);
    next();
  };
