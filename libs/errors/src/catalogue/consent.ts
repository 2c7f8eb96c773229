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
  purposeUnknown: {
    code: 'SVCUSER2305',
    token: 'CONSENT_PURPOSE_UNKNOWN',
    text: 'purpose is not known',
    message: 'This cannot be agreed to.',
    actor: 'FRONTEND',
    trigger: 'purpose NOTHING',
  },
  noticeOutdated: {
    code: 'SVCUSER2306',
    token: 'CONSENT_NOTICE_OUTDATED',
    text: 'notice_version is not the version of the notice',
    message: 'The notice has changed. Read it again.',
    actor: 'FRONTEND',
    trigger: 'notice_version 2020-01',
  },
  languageUnknown: {
    code: 'SVCUSER2307',
    token: 'NOTICE_LANGUAGE_UNKNOWN',
    text: 'lang must be en or hi',
    message: 'Choose a language.',
    actor: 'FRONTEND',
    trigger: 'lang fr',
  },
  factSheetHashInvalid: {
    code: 'SVCUSER2308',
    token: 'FACT_SHEET_HASH_INVALID',
    text: 'fact_sheet_hash must be 64 lowercase hexadecimal digits',
    message: 'The terms could not be recorded. Open the fact sheet again.',
    actor: 'FRONTEND',
    trigger: 'fact_sheet_hash abc',
  },
});
