import type { CorsOptions } from '@nestjs/common/interfaces/external/cors-options.interface.js';
import type { HttpConfig } from '../config/common-settings.js';
import { REQUEST_ID } from './request-id.js';

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

/** For Nest's `enableCors`. */
export function corsOptions({ corsOrigins }: Pick<HttpConfig, 'corsOrigins'>): CorsOptions {
  const origin = corsOrigins === true ? true : [...corsOrigins];
  return { origin, exposedHeaders: EXPOSED_HEADERS, maxAge: PREFLIGHT_SECONDS };
}

/**
 * The same for a request that Node.js refuses before Express.
 * @param origin undefined: it may have come in an earlier packet, and the answer is the same for everybody
 */
export function corsHeaders(
  { corsOrigins }: Pick<HttpConfig, 'corsOrigins'>,
  origin: string | undefined,
): [name: string, value: string][] {
  const isKnown = origin === undefined || corsOrigins === true || corsOrigins.includes(origin);
  return [
    ['vary', 'Origin'],
    ['access-control-expose-headers', EXPOSED_HEADERS.join(',')],
    ...(isKnown ? [['access-control-allow-origin', origin ?? '*'] as [string, string]] : []),
  ];
}
