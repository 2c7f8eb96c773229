import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';
import type { HttpConfig } from '../config/common-settings.js';
import type { Readiness } from '../observability/health.module.js';

const REQUEST_ID = 'x-request-id';

/**
 * Ids that a gateway, a tracer or a client's program makes at random: a UUID, or 32 hexadecimal digits. Anything else may hold a
 * phone or a name, and the id of a request goes into logs, the audit trail and calls to providers.
 */
const MACHINE_MADE =
  /^(?=[\d-]*[a-f])(?:[0-9a-f]{32}|[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12})$/i;

/**
 * Texts that look like a phone, an Aadhaar number or a PAN, some of which are hexadecimal digits. One random UUID in thirty does, and
 * one in ten of 32 digits without dashes: it is answered under an id of ours.
 */
const PERSONAL = /[6-9]\d{9}|[2-9]\d{11}|[a-f]{5}\d{4}[a-f]/i;

/** The same in groups, as people write it: it begins with a group of the UUID. */
const IN_GROUPS = /^(?:(?:91|0)?[6-9]\d{9}|[2-9]\d{11}|[a-f]{5}\d{4}[a-f])/i;
const GROUP_STARTS = [0, 8, 12, 16];

function isMachineMade(id: string): boolean {
  if (!MACHINE_MADE.test(id) || PERSONAL.test(id)) return false;
  const digits = id.replaceAll('-', '');
  return !GROUP_STARTS.some((start) => IN_GROUPS.test(digits.slice(start)));
}

/** Headers of an answer that a browser lets its page read. */
export const EXPOSED_HEADERS = [
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

/** For a year. Browsers heed it in answers that came over TLS, so that it does nothing on a developer's machine. */
const TLS_ALONE = ['strict-transport-security', 'max-age=31536000; includeSubDomains'];

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
  private readonly fixed: readonly string[];

  /** @param isTlsDemanded whether browsers are to use TLS alone from now on, for the whole host */
  constructor(
    private readonly origins: HttpConfig['corsOrigins'],
    private readonly readiness: Pick<Readiness, 'isDraining'>,
    isTlsDemanded: boolean,
  ) {
    this.fixed = isTlsDemanded ? [...FIXED, ...TLS_ALONE] : FIXED;
  }

  /** Names and values, alternating. Keeps a machine-made request id, or creates one. */
  of({ headers }: IncomingMessage): string[] {
    const { origin, [REQUEST_ID]: incoming } = headers;
    const isTaken = typeof incoming === 'string' && isMachineMade(incoming);
    const isKnown = origin !== undefined && (this.origins === true || this.origins.includes(origin));
    return [
      REQUEST_ID,
      isTaken ? incoming : randomUUID(),
      ...this.fixed,
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
