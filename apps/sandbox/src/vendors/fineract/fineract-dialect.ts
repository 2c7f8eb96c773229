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

/** Apache Fineract's authentication and errors. */
export const FINERACT: Dialect = {
  hasKey: ({ headers }) => /^basic +\S+$/i.test(headers.authorization ?? ''),
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
