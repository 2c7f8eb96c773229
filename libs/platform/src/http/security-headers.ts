import type { RequestHandler } from 'express';

/** No caching and no content sniffing by default. */
const FIXED = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

/** TLS for a year. Browsers ignore this header without TLS, so that it has no effect on a developer's machine. */
const HSTS = { 'strict-transport-security': 'max-age=31536000; includeSubDomains' };

/** @param isTlsDemanded whether to send HSTS, which applies to the whole host */
export function securityHeaders(isTlsDemanded: boolean): readonly (readonly [name: string, value: string])[] {
  return Object.entries(isTlsDemanded ? { ...FIXED, ...HSTS } : FIXED);
}

/** Sets them on every answer. */
export function setSecurityHeaders(isTlsDemanded: boolean): RequestHandler {
  const headers = securityHeaders(isTlsDemanded);
  return (_request, response, next) => {
    for (const [name, value] of headers) response.setHeader(name, value);
    next();
  };
}
