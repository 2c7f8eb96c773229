import { defineErrors } from '../define-errors.js';

/** eKYC by any method. */
export const EkycErrors = defineErrors({
  unavailable: {
    code: 'SVCUSER2404',
    httpStatus: 503,
    token: 'EKYC_UNAVAILABLE',
    text: 'The eKYC provider is not available',
    message: 'Your identity cannot be checked at the moment. Try again in a moment.',
    actor: 'PROVIDER',
    trigger: 'an Aadhaar number with 0503 before its check digit',
  },
  alreadyVerified: {
    code: 'SVCUSER2405',
    token: 'EKYC_VERIFIED',
    text: 'The eKYC is verified already',
    message: 'Your identity has been verified already.',
    actor: 'FRONTEND',
    trigger: 'an Aadhaar code or a locker session after the eKYC was verified',
  },
  redirectionUrlInvalid: {
    code: 'SVCUSER2411',
    token: 'REDIRECTION_URL_INVALID',
    text: 'redirection_url is not allowed',
    message: 'The address to return to is not allowed.',
    actor: 'FRONTEND',
    trigger: 'redirection_url http://app.example',
  },
});
