import { randomBytes } from 'node:crypto';
import type { Request } from 'express';
import type { Dialect } from '../../http/outside-api.decorator.js';
import { Refusal } from '../../http/refusal.js';

/** Our types for which the vendor has another code. */
const CODES: Readonly<Record<string, string>> = {
  authentication_failed: 'error.msg.not.authenticated',
  invalid_request: 'validation.msg.validation.errors.exist',
  service_unavailable: 'error.msg.platform.service.unavailable',
  internal: 'error.msg.platform.server.side.error',
};

const statusOf = ({ status, type }: Refusal): number => (type === 'invalid_request' ? 400 : status);

export const TOKEN_SECONDS = 60;

/** Creates a token of the authorization server. It contains its expiry, so that the server stores nothing. */
export const newToken = (now: Date): string =>
  `fineract.${now.getTime() + TOKEN_SECONDS * 1_000}.${randomBytes(16).toString('hex')}`;

/** Basic authentication with any user, or a token that has not expired. */
function hasKey({ headers: { authorization = '' } }: Request): boolean {
  const [, expiresAt] = /^bearer fineract\.(\d+)\.[0-9a-f]{32}$/i.exec(authorization) ?? [];
  return /^basic +\S+$/i.test(authorization) || Number(expiresAt ?? 0) > Date.now();
}

/** Apache Fineract's authentication and errors. */
export const FINERACT: Dialect = {
  hasKey,
  keyMissing: new Refusal(401, 'authentication_failed', 'Unauthenticated. Please login.', {
    'www-authenticate': 'Basic realm="Fineract Platform API"',
  }),
  statusOf,
  bodyOf: (refusal) => ({
    developerMessage: refusal.message,
    httpStatusCode: String(statusOf(refusal)),
    defaultUserMessage: refusal.message,
    userMessageGlobalisationCode: CODES[refusal.type] ?? refusal.type,
    errors: [],
  }),
};

export const notFound = (): Refusal =>
  new Refusal(404, 'error.msg.resource.not.found', 'The requested resource is not available.');
