import { defineErrors } from '../define-errors.js';

/** eKYC by document locker. */
export const LockerErrors = defineErrors({
  consentDenied: {
    code: 'SVCUSER2431',
    token: 'LOCKER_CONSENT_DENIED',
    text: 'Access to the document locker was denied',
    message: 'You did not allow access to your document locker.',
    trigger: 'choose deny on the locker page',
  },
  noAadhaar: {
    code: 'SVCUSER2432',
    token: 'LOCKER_NO_AADHAAR',
    text: 'There is no Aadhaar in the document locker',
    message: 'There is no Aadhaar in your document locker.',
    trigger: 'choose no Aadhaar on the locker page',
  },
  sessionExpired: {
    code: 'SVCUSER2433',
    token: 'LOCKER_EXPIRED',
    text: 'The document locker session has expired',
    message: 'This took too long. Start again.',
    trigger: 'choose expired on the locker page, or go there after the eKYC request has ended',
  },
  holderDiffers: {
    code: 'SVCUSER2434',
    token: 'LOCKER_MISMATCH',
    text: "The locker's holder differs from the PAN holder",
    message:
      'Your document locker and your PAN name different people. If both are yours, have one of the names corrected, or ask our support.',
    trigger: 'choose another person on the locker page',
  },
});
