import { defineErrors } from '../define-errors.js';

/** Consent to a check: PAN, Aadhaar and document locker. */
export const ConsentErrors = defineErrors({
  missing: {
    code: 'SVCUSER2301',
    token: 'CONSENT_MISSING',
    text: 'Consent is missing',
    message: 'Allow the check to go on.',
    actor: 'FRONTEND',
    trigger: 'no consent_checked',
  },
  refused: {
    code: 'SVCUSER2302',
    token: 'CONSENT_REFUSED',
    text: 'Consent was not given',
    message: 'Allow the check to go on.',
    trigger: 'consent_checked false',
  },
  notBoolean: {
    code: 'SVCUSER2303',
    token: 'CONSENT_NOT_BOOLEAN',
    text: 'Consent must be true or false',
    message: 'Allow the check to go on.',
    actor: 'FRONTEND',
    trigger: 'consent_checked "true"',
  },
  withdrawn: {
    code: 'SVCUSER2304',
    token: 'CONSENT_WITHDRAWN',
    text: 'A consent that this needs was withdrawn',
    message: 'You withdrew your consent. Give it again to go on.',
    trigger: 'a bank account, after the consent of the login was withdrawn',
  },
});
