import { defineErrors } from '../define-errors.js';

/** eKYC by Aadhaar code. */
export const AadhaarErrors = defineErrors({
  numberInvalid: {
    code: 'SVCUSER2421',
    token: 'AADHAAR_INVALID',
    text: 'Aadhaar number is not valid',
    message: 'Check your Aadhaar number.',
    trigger: 'aadhaar_number 123412341234',
  },
  noMobileLinked: {
    code: 'SVCUSER2422',
    token: 'AADHAAR_NO_MOBILE',
    text: 'No mobile number is linked to this Aadhaar',
    message: 'No mobile number is linked to your Aadhaar. Choose another way.',
    trigger: 'an Aadhaar number with 0422 before its check digit',
  },
  otpTooSoon: {
    code: 'SVCUSER2423',
    httpStatus: 429,
    token: 'AADHAAR_OTP_TOO_SOON',
    text: 'The next Aadhaar code was asked for too soon',
    message: 'Ask for another code in {wait}.',
    trigger: 'two Aadhaar codes within 30 seconds, or more than 10 in 24 hours',
  },
  otpWrong: {
    code: 'SVCUSER2424',
    token: 'AADHAAR_OTP_WRONG',
    text: 'The Aadhaar code is wrong',
    message: 'The code is wrong. Tries left: {triesLeft}.',
    trigger: 'otp 000000 for an Aadhaar request',
  },
  otpExpired: {
    code: 'SVCUSER2426',
    token: 'AADHAAR_OTP_EXPIRED',
    text: 'The Aadhaar code has expired',
    message: 'The code has expired. Ask for a new one.',
    trigger: 'an Aadhaar number with 0408 before its last digit, or the sixth try with a code',
  },
  holderDiffers: {
    code: 'SVCUSER2427',
    token: 'AADHAAR_MISMATCH',
    text: 'The Aadhaar holder differs from the PAN holder',
    message:
      'Your Aadhaar and your PAN name different people. If both are yours, have one of the names corrected, or ask our support.',
    trigger: 'an Aadhaar number with 0427 before its check digit',
  },
  switchedOff: {
    code: 'SVCUSER2428',
    httpStatus: 404,
    token: 'AADHAAR_OTP_SWITCHED_OFF',
    text: 'This issuer no longer takes Aadhaar codes',
    message: 'This way is no longer offered. Choose another way.',
    actor: 'FRONTEND',
    trigger: 'any Aadhaar call with EKYC_METHODS=sahyadri=HOSTED',
  },
});
