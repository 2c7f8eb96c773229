import { defineErrors } from '../define-errors.js';

/** The API key of a client of the deposit catalogue. */
export const ApiKeyErrors = defineErrors({
  missing: {
    code: 'SVCMAS2001',
    httpStatus: 401,
    token: 'API_KEY_MISSING',
    text: 'apikey is required',
    message: 'The header apikey is missing.',
    actor: 'FRONTEND',
    trigger: 'a call without apikey',
  },
  invalid: {
    code: 'SVCMAS2002',
    httpStatus: 401,
    token: 'API_KEY_INVALID',
    text: 'apikey is not valid',
    message: 'The header apikey is not known or was disabled.',
    actor: 'FRONTEND',
    trigger: 'apikey wrong',
  },
});
