import { defineErrors } from '../define-errors.js';

/** Errors of any call of users-service. */
export const GeneralErrors = defineErrors({
  tooManyRequests: {
    code: 'SVCUSER1517',
    httpStatus: 429,
    token: 'RATE_LIMITED',
    text: 'Too many requests',
    message: 'Too many requests. Try again in {wait}.',
    actor: 'FRONTEND',
    trigger:
      'more than 30 well-formed bank calls, or 3000 calls, in a minute; 60 new accounts or 20 locker sessions in 24 hours; 20,000 events or 2 MB of their properties, or 100 changes of a step, in a day',
  },
  requestUnreadable: {
    code: 'SVCUSER2900',
    token: 'REQUEST_UNREADABLE',
    text: 'The request cannot be read',
    message: 'The request cannot be read.',
    actor: 'FRONTEND',
    trigger: 'a body with Content-Type: text/plain, or with Content-Encoding: gzip',
  },
  routeUnknown: {
    code: 'SVCUSER2901',
    httpStatus: 404,
    token: 'ROUTE_UNKNOWN',
    text: 'There is no such call',
    message: 'This call does not exist.',
    actor: 'FRONTEND',
    trigger: 'GET /nothing',
  },
  recordUnknown: {
    code: 'SVCUSER2903',
    httpStatus: 404,
    token: 'RECORD_UNKNOWN',
    text: 'There is no such record',
    message: 'This was not found.',
    actor: 'FRONTEND',
    trigger: 'DELETE of an unknown session',
  },
  fieldInvalid: {
    code: 'SVCUSER2904',
    token: 'FIELD_INVALID',
    text: 'A field is missing or not valid',
    message: 'Check this field.',
    actor: 'FRONTEND',
    trigger: 'all_devices "yes"',
  },
  internal: {
    code: 'SVCUSER2990',
    httpStatus: 500,
    token: 'INTERNAL',
    text: 'Something went wrong on our side',
    message: 'Something went wrong on our side. We are looking into it.',
    actor: 'OPERATOR',
    trigger: 'none: it is a defect',
  },
  unavailable: {
    code: 'SVCUSER2991',
    httpStatus: 503,
    token: 'TEMPORARILY_UNAVAILABLE',
    text: 'Temporarily not available',
    message: 'We cannot do this right now. Try again in a moment.',
    actor: 'OPERATOR',
    trigger: 'stop PostgreSQL or Redis',
  },
});
