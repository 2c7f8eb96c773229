import { defineErrors } from '../define-errors.js';

/** Issuers and the calls to them. */
export const IssuerErrors = defineErrors({
  flowUnsupported: {
    code: 'SVCUSER2402',
    token: 'FLOW_UNSUPPORTED',
    text: 'This flow is not supported',
    message: 'This way of opening a deposit is not offered.',
    actor: 'FRONTEND',
    trigger: 'flowId "XX"',
  },
  unavailable: {
    code: 'SVCUSER2403',
    httpStatus: 503,
    token: 'ISSUER_UNAVAILABLE',
    text: 'The issuer is not available',
    message: 'The issuer cannot be reached. Try again in a moment.',
    actor: 'PROVIDER',
    trigger: 'check-etb after verifying a PAN with the digits 0603',
  },
  unknown: {
    code: 'SVCUSER2902',
    httpStatus: 404,
    token: 'ISSUER_UNKNOWN',
    text: 'The issuer is not known',
    message: 'This issuer does not exist.',
    actor: 'FRONTEND',
    trigger: 'issuer slug "nobody"',
  },
});
