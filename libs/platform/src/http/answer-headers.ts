import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';
import type { HttpConfig } from '../config/common-settings.js';
import type { Readiness } from '../observability/health.module.js';

const REQUEST_ID = 'x-request-id';
const VALID_ID = /^[A-Za-z0-9._-]{8,128}$/;

/** Headers of an answer that a browser lets its page read. */
export const EXPOSED_HEADERS = [
  'etag',
  'idempotent-replayed',
  'retry-after',
  'www-authenticate',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  REQUEST_ID,
];

/** Nothing is to be cached or guessed at, unless a route says otherwise; which pages may read it depends on the page. */
const FIXED = Object.entries({
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  vary: 'Origin',
  'access-control-expose-headers': EXPOSED_HEADERS.join(','),
}).flat();

/** The id under which a request is answered. Asked for only once it has its headers. */
export function requestIdOf(response: ServerResponse): string {
  return response.getHeader(REQUEST_ID) as string;
}

/**
 * The headers of every answer, whatever becomes of its request. Worked out as a list, so that a refusal of a flood can
 * send them as they are: setting them one by one costs more than all else that is done for it.
 */
export class AnswerHeaders {
  constructor(
    private readonly origins: HttpConfig['corsOrigins'],
    private readonly readiness: Pick<Readiness, 'isDraining'>,
  ) {}

  /** Names and values in turn. Takes the request id over from a valid incoming header, else makes one. */
  of({ headers }: IncomingMessage): string[] {
    const { origin, [REQUEST_ID]: incoming } = headers;
    const isValid = typeof incoming === 'string' && VALID_ID.test(incoming);
    const isKnown = origin !== undefined && (this.origins === true || this.origins.includes(origin));
    return [
      REQUEST_ID,
      isValid ? incoming : randomUUID(),
      ...FIXED,
      ...(isKnown ? ['access-control-allow-origin', origin] : []),
      // once the service is to end, so that clients open their next connection elsewhere
      ...(this.readiness.isDraining ? ['connection', 'close'] : []),
    ];
  }

  readonly set: RequestHandler = (request, response, next) => {
    const headers = this.of(request);
    for (let i = 0; i < headers.length; i += 2) response.setHeader(headers[i]!, headers[i + 1]!);
    next();
  };
}
