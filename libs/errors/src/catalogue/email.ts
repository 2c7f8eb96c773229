import { defineErrors } from '../define-errors.js';

/** Email verification. */
export const EmailErrors = defineErrors({
  invalid: {
    code: 'SVCUSER2501',
    token: 'EMAIL_INVALID',
    text: 'Email address is not valid',
    message: 'Enter a valid email address.',
    trigger: 'email "nobody", or one whose part before the @ ends in 0505',
  },
  otpWrong: {
    code: 'SVCUSER2503',
    token: 'EMAIL_OTP_WRONG',
    text: 'The code is wrong',
    message: 'The code is wrong. Tries left: {triesLeft}.',
    trigger: 'otp 654321 after send-otp',
  },
  otpExpired: {
    code: 'SVCUSER2504',
    token: 'EMAIL_OTP_EXPIRED',
    text: 'The code is not valid any more',
    message: 'The code has expired or was used. Ask for a new one.',
    trigger: 'an email whose part before the @ ends in 0408, or a code used before',
  },
  tooManyOtps: {
    code: 'SVCUSER2505',
    httpStatus: 429,
    token: 'EMAIL_OTP_EXHAUSTED',
    text: 'Too many codes or wrong tries',
    message: 'Too many tries. Ask for a new code in {wait}.',
    trigger: 'the sixth send to one address within 15 minutes',
  },
  belongsToAnotherUser: {
    code: 'SVCUSER2507',
    token: 'EMAIL_TAKEN',
    text: 'Email address belongs to another user',
    message:
      'This email address belongs to another account. If that was yours, complete your eKYC here and verify the address again. Otherwise use another one, or ask our support.',
    trigger: 'one address verified by a second user',
  },
  mailUnavailable: {
    code: 'SVCUSER2508',
    httpStatus: 503,
    token: 'MAIL_UNAVAILABLE',
    text: 'The mail could not be sent',
    message: 'We could not send the mail. Try again in a moment; this try was not counted.',
    actor: 'PROVIDER',
    trigger: 'an email whose part before the @ ends in 0503 or 0504',
  },
});
