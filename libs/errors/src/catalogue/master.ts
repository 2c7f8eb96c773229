import { defineErrors } from '../define-errors.js';

/** What any call of master-service may answer, and its issuers. */
export const MasterErrors = defineErrors({
  tooManyRequests: {
    code: 'SVCMAS2003',
    httpStatus: 429,
    token: 'RATE_LIMITED',
    text: 'Too many requests',
    message: 'Too many requests {from}. Try again in {retryAfterSeconds} seconds.',
    actor: 'FRONTEND',
    trigger: 'more calls in a minute than an address or the API key may make',
  },
  issuerUnknown: {
    code: 'SVCMAS2201',
    httpStatus: 404,
    token: 'ISSUER_UNKNOWN',
    text: 'The issuer is not known',
    message: 'This issuer does not exist.',
    actor: 'FRONTEND',
    trigger: 'issuer code NOBODY',
  },
  issuerIdInvalid: {
    code: 'SVCMAS2202',
    token: 'ISSUER_ID_INVALID',
    text: 'The issuer id must be a UUID',
    message: 'This issuer does not exist.',
    actor: 'FRONTEND',
    trigger: 'GET /detail/abc',
  },
  routeUnknown: {
    code: 'SVCMAS2901',
    httpStatus: 404,
    token: 'ROUTE_UNKNOWN',
    text: 'There is no such call',
    message: 'This call does not exist.',
    actor: 'FRONTEND',
    trigger: 'GET /nothing',
  },
  internal: {
    code: 'SVCMAS2990',
    httpStatus: 500,
    token: 'INTERNAL',
    text: 'Something went wrong on our side',
    message: 'Something went wrong on our side. We are looking into it.',
    actor: 'OPERATOR',
    trigger: 'none: it is a defect',
  },
  unavailable: {
    code: 'SVCMAS2991',
    httpStatus: 503,
    token: 'TEMPORARILY_UNAVAILABLE',
    text: 'Temporarily not available',
    message: 'We cannot do this right now. Try again in a moment.',
    actor: 'OPERATOR',
    trigger: 'start without PostgreSQL',
  },
});
